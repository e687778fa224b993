/** Names what the tab remembers of the panel: see `panel-memory.ts`. */
export const PANEL_MEMORY = "support-panel";

const HIDDEN_FROM_VISITORS = /^\/(?:dashboard|auth)(?:\/|$)/;
/** The console, and the introduction of the app. */
const HIDDEN = /^\/(?:admin|onboarding)(?:\/|$)/;

/** Returns whether the page shows the chat button. */
export function isChatShown(path: string, signedIn: boolean): boolean {
  return !HIDDEN.test(path) && (signedIn || !HIDDEN_FROM_VISITORS.test(path));
}
