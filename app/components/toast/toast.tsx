import { type ComponentType, useEffect, useState } from "react";
import { onWaitingToast, raise } from "./raised-toasts.ts";

/** Shows a short message. One with a description stays a second longer. */
export const toast = {
  success: (text: string, more: { description?: string } = {}) => raise({ kind: "success", text, ...more }),
  error: (text: string, more: { description?: string } = {}) => raise({ kind: "error", text, ...more }),
};

/** Renders toasts. Most pages never show one, so the code for it is fetched with the first. */
export function Toaster() {
  const [Drawn, setDrawn] = useState<ComponentType | null>(null);
  useEffect(
    () =>
      onWaitingToast(() => {
        import("./sonner-toaster.tsx").then(
          ({ SonnerToaster }) => setDrawn(() => SonnerToaster),
          // The fetch failed: the next toast tries again, and shows this one too.
          () => {},
        );
      }),
    [],
  );
  return Drawn && <Drawn />;
}
