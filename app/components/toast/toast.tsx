import { type ComponentType, useEffect, useState } from "react";

/** Shows a short message. One with a description stays a second longer. */
export const toast = {
  success: (text: string, more: { description?: string } = {}) => raise({ kind: "success", text, ...more }),
  error: (text: string, more: { description?: string } = {}) => raise({ kind: "error", text, ...more }),
};

export type Raised = { kind: "success" | "error"; text: string; description?: string };

const waiting: Raised[] = [];
let show: ((raised: Raised) => void) | null = null;
let wanted: (() => void) | null = null;

function raise(raised: Raised): void {
  if (show) {
    show(raised);
    return;
  }
  waiting.push(raised);
  wanted?.();
}

/** Sends toasts to `to`, starting with those that waited for it. Returns a function that stops it. */
export function receiveToasts(to: (raised: Raised) => void): () => void {
  show = to;
  for (const raised of waiting.splice(0)) to(raised);
  return () => {
    show = null;
  };
}

/** Renders toasts. Most pages never show one, so the code for it is fetched with the first. */
export function Toaster() {
  const [Drawn, setDrawn] = useState<ComponentType | null>(null);
  useEffect(() => {
    wanted = () => {
      import("./sonner-toaster.tsx").then(
        ({ SonnerToaster }) => setDrawn(() => SonnerToaster),
        // The fetch failed: the next toast tries again, and shows this one too.
        () => {},
      );
    };
    if (waiting.length > 0) wanted();
    return () => {
      wanted = null;
    };
  }, []);
  return Drawn && <Drawn />;
}
