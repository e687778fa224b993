import { Webhook } from "standardwebhooks";
import { cutText } from "#app/cut-text.ts";
import { isPublicUrl } from "./public-url.ts";

const TIMEOUT_MS = 15_000;
const MAX_ERROR_CHARACTERS = 300;

/** `secrets`: "whsec_…" each; during a rotation there are two. */
export type SignedPost = { url: string; messageId: string; body: string; secrets: string[] };

export type PostResult = {
  /** HTTP status, or null without a response. */
  status: number | null;
  /** Reason of the failure, or null if the endpoint returned 2xx. */
  error: string | null;
};

/**
 * Posts JSON, signed as Standard Webhooks says (https://www.standardwebhooks.com). Follows no redirect and ignores the
 * body of the response. `local` allows URLs on the developer's machine. Throws if a secret is malformed.
 */
export async function postSigned(
  { url, messageId, body, secrets }: SignedPost,
  { local }: { local: boolean },
): Promise<PostResult> {
  // Checks again: the rules may have changed since the URL was set.
  if (!isPublicUrl(url, local)) return { status: null, error: "URL not allowed" };
  const at = new Date();
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": messageId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(messageId, at, body)).join(" "),
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: response.ok ? null : `HTTP ${response.status}` };
  } catch (error) {
    return { status: null, error: cutText(String(error), MAX_ERROR_CHARACTERS) };
  }
}
