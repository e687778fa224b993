import { useEffect } from "react";
import { Toaster as Sonner, toast } from "sonner";
import { type Raised, receiveToasts } from "./toast.tsx";

const DURATION_MS = { success: 4000, error: 5000 } satisfies Record<Raised["kind"], number>;
const VISIBLE = 3;

/** Sonner's own width is the spec's 356 px; vite.config.ts sets the 50 px of a swipe. */
export function DrawnToaster() {
  // After the effect of Sonner below, which begins to listen in it.
  useEffect(() => receiveToasts(({ kind, text }) => toast[kind](text, { duration: DURATION_MS[kind] })), []);
  return (
    <Sonner
      position="bottom-left"
      theme="dark"
      duration={DURATION_MS.success}
      visibleToasts={VISIBLE}
      swipeDirections={["left", "right", "bottom"]}
      containerAriaLabel="Notifications"
    />
  );
}
