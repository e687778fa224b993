import { type FocusEvent, useEffect } from "react";
import { Toaster as Sonner, toast } from "sonner";
import { type Raised, receiveToasts } from "./raised-toasts.ts";

const PLAIN_MS = 4000;
const WITH_DESCRIPTION_MS = 5000;
const VISIBLE = 3;
/** In px: above the chat's button, at the bottom of a phone. The style sheet lifts toasts above the open chat's field. */
const ABOVE_BUTTON = { bottom: 84 };

/** Renders toasts with Sonner. Its own width is the spec's 356 px; vite.config.ts sets the swipe threshold of 50 px. */
export function SonnerToaster() {
  // Runs after the effect in which Sonner below starts to listen.
  useEffect(() => receiveToasts(draw), []);
  return (
    <div data-toasts className="contents" onFocusCapture={hideTabFocus}>
      <Sonner
        position="bottom-left"
        theme="dark"
        duration={PLAIN_MS}
        visibleToasts={VISIBLE}
        mobileOffset={ABOVE_BUTTON}
        swipeDirections={["left", "right", "bottom"]}
        containerAriaLabel="Notifications"
      />
    </div>
  );
}

/**
 * Keeps Sonner from returning the focus to where it came from when Tab leaves a toast: nobody could get past a toast
 * while it shows. The list itself, which only the hotkey focuses, still returns it.
 */
function hideTabFocus(event: FocusEvent): void {
  if (event.target.matches("[data-sonner-toast]")) event.stopPropagation();
}

function draw({ kind, text, description }: Raised): void {
  toast[kind](text, { description, duration: description ? WITH_DESCRIPTION_MS : PLAIN_MS });
}
