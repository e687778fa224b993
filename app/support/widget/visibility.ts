const HIDDEN_FROM_VISITORS = /^\/(?:dashboard|auth|onboarding)(?:\/|$)/;
/** The team answers there; it does not ask itself. */
const CONSOLE = /^\/admin(?:\/|$)/;

/** Whether the chat's button is on the page. */
export function isChatShown(path: string, signedIn: boolean): boolean {
  return !CONSOLE.test(path) && (signedIn || !HIDDEN_FROM_VISITORS.test(path));
}
