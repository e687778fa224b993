import { useEffect } from "react";
import { Toaster as Sonner, toast } from "sonner";
import { type Raised, receiveToasts } from "./toast.tsx";

const PLAIN_MS = 4000;
const WITH_DESCRIPTION_MS = 5000;
const VISIBLE = 3;
/** In px: above the chat's field, which stands at the bottom of a phone. */
const ABOVE_FIELD = { bottom: 84 };

/** Sonner's own width is the spec's 356 px; vite.config.ts sets the 50 px of a swipe. */
export function DrawnToaster() {
  // After the effect of Sonner below, which begins to listen in it.
  useEffect(() => receiveToasts(draw), []);
  return (
    <Sonner
      position="bottom-left"
      theme="dark"
      duration={PLAIN_MS}
      visibleToasts={VISIBLE}
      mobileOffset={ABOVE_FIELD}
      swipeDirections={["left", "right", "bottom"]}
      containerAriaLabel="Notifications"
    />
  );
}

function draw({ kind, text, description }: Raised): void {
  toast[kind](text, { description, duration: description ? WITH_DESCRIPTION_MS : PLAIN_MS });
}
