import { type ConnectFault, connectFaultText, isConnectFault } from "./oauth-texts.ts";

/** Messages from the popup to its opener: by postMessage, and by BroadcastChannel in case a COOP header severed them. */
export const OAUTH_CHANNEL = "growline-gmail-oauth";

export type OauthMessage =
  | { type: "GMAIL_OAUTH_SUCCESS" }
  | { type: "GMAIL_OAUTH_ERROR"; fault: ConnectFault; error: string };

export function oauthMessage(fault: ConnectFault | null): OauthMessage {
  return fault === null
    ? { type: "GMAIL_OAUTH_SUCCESS" }
    : { type: "GMAIL_OAUTH_ERROR", fault, error: connectFaultText(fault) };
}

/** Parses a message, or returns null. The text is ours, whatever was sent. */
export function parseOauthMessage(data: unknown): OauthMessage | null {
  if (typeof data !== "object" || data === null) return null;
  const { type, fault } = data as { type?: unknown; fault?: unknown };
  if (type === "GMAIL_OAUTH_SUCCESS") return oauthMessage(null);
  if (type === "GMAIL_OAUTH_ERROR") return oauthMessage(isConnectFault(fault) ? fault : "failed");
  return null;
}
