import { cutText } from "#app/cut-text.ts";
import { retryAfterWait } from "#app/http/outgoing/retry-after-wait.ts";

/** The outcome of one attempt to send an email. */
export type SendOutcome =
  | { kind: "sent" }
  /** No further attempt makes sense. `isRecipient`: the address is why, so no other email to it makes sense either. */
  | { kind: "refused"; error: string; isRecipient: boolean }
  /** `waitMs`: how long the email API asked us to wait. `isBusy`: it limits our rate, whatever the email. */
  | { kind: "retry"; error: string; waitMs: number; isBusy: boolean };

/** An error of the email API: https://resend.com/docs/api-reference/errors */
export type ApiError = { name: string; message: string };

const MAX_ERROR_CHARACTERS = 300;

/** Matches errors of the email API about the recipient: malformed, unknown, or on its own suppression list. */
const ABOUT_RECIPIENT = /[`'"]to[`'"]|recipient|suppress/i;

/** Matches errors of the email API about our own address, EMAIL_FROM. */
const ABOUT_SENDER = /[`'"]from[`'"]|invalid_from_address/i;

/** Reads a response of the email API. `retryAfter` is its header. */
export function outcomeOfResponse(
  status: number,
  { name, message }: ApiError,
  retryAfter: string | null,
  now: number,
): SendOutcome {
  if (status >= 200 && status < 300) return { kind: "sent" };
  // The same key with other content: an earlier attempt got through before our settings changed.
  if (status === 409 && name === "invalid_idempotent_request") return { kind: "sent" };
  const error = cutText([`HTTP ${status}`, name, message].filter(Boolean).join(" "), MAX_ERROR_CHARACTERS);
  // The others are about us (key, sender, quota) or pass by themselves. Those about us end once staff fix the settings.
  const isAboutUs = ABOUT_SENDER.test(`${name} ${message}`);
  if ([400, 413, 422, 451].includes(status) && !isAboutUs) {
    return { kind: "refused", error, isRecipient: status !== 413 && ABOUT_RECIPIENT.test(message) };
  }
  return { kind: "retry", error, waitMs: retryAfterWait(retryAfter, now), isBusy: status === 429 };
}

/** Codes of the `send_email` binding: https://developers.cloudflare.com/email-service/api/send-emails/workers-api/ */
const REFUSED_CODES = /^E_(VALIDATION_ERROR|FIELD_MISSING|TOO_MANY_\w+|RECIPIENT_\w+|CONTENT_TOO_LARGE|HEADERS?_\w+)$/;

/** The code of a delivery that the recipient's server refused or didn't take. It may take a later one. */
export const RECIPIENT_SERVER_CODE = "E_DELIVERY_FAILED";

/** Reads what the `send_email` binding threw. */
export function outcomeOfThrown(thrown: unknown): SendOutcome {
  // The code of a timeout is a number that says nothing.
  const { code: named } = (thrown ?? {}) as { code?: unknown };
  const code = typeof named === "string" ? named : "";
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const error = cutText([code, message].filter(Boolean).join(" "), MAX_ERROR_CHARACTERS);
  if (REFUSED_CODES.test(code)) return { kind: "refused", error, isRecipient: code === "E_RECIPIENT_SUPPRESSED" };
  return { kind: "retry", error, waitMs: 0, isBusy: code === "E_RATE_LIMIT_EXCEEDED" };
}
