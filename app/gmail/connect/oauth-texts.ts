/** Reasons why a connection can fail. */
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
  | "refused"
  /** The window named no reason of ours. */
  | "failed";

const TEXTS: Record<ConnectFault, string> = {
  not_configured: "Gmail sync isn't set up on this site yet.",
  too_many: "Too many attempts. Please try again in a few minutes.",
  unavailable: "We couldn't reach Google. Please try again in a minute.",
  blocked: "Your browser blocked Google's window. Allow popups for this site, or continue on this page.",
  closed:
    "Google's window was closed before Gmail was connected. If it's still open, finish there and this page will update.",
  denied: "You didn't allow access at Google, so nothing was connected.",
  wrong_account:
    "You chose a different Google account than the connected one. Choose the same one, or disconnect first.",
  scope_withheld: "Google didn't grant access to read your email. Connect again and keep that permission checked.",
  expired: "This link has expired, was already used, or was opened in another browser. Please connect again.",
  refused: "Google rejected the sign-in. Please connect again.",
  failed: "Failed to connect Gmail account.",
};

export function isConnectFault(value: unknown): value is ConnectFault {
  return typeof value === "string" && Object.hasOwn(TEXTS, value);
}

export function connectFaultText(fault: ConnectFault): string {
  return TEXTS[fault];
}
