import { Toaster as Sonner } from "sonner";

const DURATION_MS = 4000;
const VISIBLE = 3;

/** Where toasts appear. They are raised with `toast` of sonner. Its default width is 356 px. */
export function Toaster() {
  return (
    <Sonner
      position="bottom-left"
      theme="dark"
      duration={DURATION_MS}
      visibleToasts={VISIBLE}
      swipeDirections={["left", "right", "bottom"]}
      containerAriaLabel="Notifications"
    />
  );
}
