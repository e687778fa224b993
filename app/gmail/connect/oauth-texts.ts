/** What can go wrong between pressing the button and being connected. */
export type ConnectFault =
  | "not_configured"
  | "too_many"
  | "unavailable"
  | "blocked"
  | "closed"
  | "denied"
  | "wrong_account"
  | "scope_withheld"
  | "expired"
  | "refused";

const TEXTS: Record<ConnectFault, string> = {
  not_configured: "Mail sync is not set up on this site yet.",
  too_many: "Too many attempts. Please try again in a few minutes.",
  unavailable: "Google could not be reached. Please try again in a minute.",
  blocked: "Your browser blocked Google's window. Allow pop-ups for this site, or continue on this page.",
  closed:
    "Google's window was closed before Gmail was connected. If it is still open, finish there: this page notices.",
  denied: "You did not allow access at Google, so nothing was connected.",
  wrong_account:
    "You chose another Google account than the one that is connected here. Choose the same one, or disconnect first.",
  scope_withheld: "Google did not grant reading of your mail. Connect again and leave that permission ticked.",
  expired: "This sign-in has expired, was used before or was begun in another browser. Please connect again.",
  refused: "Google did not accept the sign-in. Please connect again.",
};

export function isConnectFault(value: unknown): value is ConnectFault {
  return typeof value === "string" && Object.hasOwn(TEXTS, value);
}

export function connectFaultText(fault: ConnectFault): string {
  return TEXTS[fault];
}
