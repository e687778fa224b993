import { type ComponentType, useEffect, useState } from "react";

/** Short words about what was just done. One with a description stays a second longer. */
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

/** From now on toasts go to `to`, first those that have waited for it. Answers how to end that. */
export function receiveToasts(to: (raised: Raised) => void): () => void {
  show = to;
  for (const raised of waiting.splice(0)) to(raised);
  return () => {
    show = null;
  };
}

/** Where toasts appear. Most pages never show one, so what draws them is fetched with the first. */
export function Toaster() {
  const [Drawn, setDrawn] = useState<ComponentType | null>(null);
  useEffect(() => {
    wanted = () => {
      import("./toaster.tsx").then(
        ({ DrawnToaster }) => setDrawn(() => DrawnToaster),
        // Not reached: the next toast tries again and brings this one along.
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
