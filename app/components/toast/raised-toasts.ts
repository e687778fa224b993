export type Raised = { kind: "success" | "error"; text: string; description?: string };

const waiting: Raised[] = [];
let show: ((raised: Raised) => void) | null = null;
let wanted: (() => void) | null = null;

/** Shows a toast, or keeps it until there is somebody to show it. */
export function raise(raised: Raised): void {
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

/** Calls `want` whenever a toast has nobody to show it, at once if one waits. Returns a function that stops it. */
export function onWaitingToast(want: () => void): () => void {
  wanted = want;
  if (waiting.length > 0) want();
  return () => {
    wanted = null;
  };
}
