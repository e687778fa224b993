import { expect, test } from "vitest";
import { outcomeOfResponse, outcomeOfThrown } from "./email-outcome.ts";

const NOW = Date.UTC(2026, 0, 15, 12);

function outcome(status: number, name = "", message = "", retryAfter: string | null = null) {
  return outcomeOfResponse(status, { name, message }, retryAfter, NOW);
}

test("tells a refusal of the recipient from one of the content", () => {
  const refused = { kind: "refused", isRecipient: true };
  expect(outcome(422, "validation_error", "Invalid `to` field. Use email@example.com")).toMatchObject(refused);
  expect(outcome(422, "recipient_suppressed", "The recipient is on the suppression list")).toMatchObject(refused);
  expect(outcome(400, "validation_error", "Invalid `html` field")).toMatchObject({ ...refused, isRecipient: false });
  expect(outcome(413, "", "too large for the recipient")).toMatchObject({ ...refused, isRecipient: false });
});

test("tries again what is about us, the rate or the service", () => {
  for (const status of [0, 302, 401, 403, 404, 405, 408, 425, 500, 502, 503, 504, 522]) {
    expect(outcome(status), String(status)).toMatchObject({ kind: "retry", isBusy: false });
  }
  // A wrong EMAIL_FROM: the emails wait until staff correct it.
  for (const [name, message] of [
    ["invalid_from_address", "The address is invalid"],
    ["validation_error", "Invalid `from` field. The email address needs to follow the `email@example.com` format"],
  ] as const) {
    expect(outcome(422, name, message)).toMatchObject({ kind: "retry", isBusy: false });
  }
  expect(outcome(409, "concurrent_idempotent_requests")).toMatchObject({ kind: "retry" });
  expect(outcome(429, "daily_quota_exceeded")).toMatchObject({ kind: "retry", isBusy: true, waitMs: 0 });
});

test("takes a key that was used with other content as sent", () => {
  expect(outcome(409, "invalid_idempotent_request")).toEqual({ kind: "sent" });
  expect(outcome(200)).toEqual({ kind: "sent" });
});

test("reads Retry-After in seconds and as a date, up to an hour", () => {
  const waits = ["3", new Date(NOW + 90_000).toUTCString(), "86400", "-5", "soon", new Date(0).toUTCString(), null];
  expect(waits.map((header) => (outcome(429, "", "", header) as { waitMs: number }).waitMs)).toEqual([
    3000, 90_000, 3_600_000, 0, 0, 0, 0,
  ]);
});

test("reads the codes that the binding throws, and shortens long errors", () => {
  const thrown = (code: string) => outcomeOfThrown(Object.assign(new Error("no"), { code }));
  expect(thrown("E_RECIPIENT_SUPPRESSED")).toMatchObject({ kind: "refused", isRecipient: true });
  for (const code of ["E_RECIPIENT_NOT_ALLOWED", "E_VALIDATION_ERROR", "E_CONTENT_TOO_LARGE", "E_HEADERS_TOO_MANY"]) {
    expect(thrown(code), code).toMatchObject({ kind: "refused", isRecipient: false });
  }
  expect(thrown("E_RATE_LIMIT_EXCEEDED")).toMatchObject({ kind: "retry", isBusy: true });
  for (const code of [
    "E_DELIVERY_FAILED",
    "E_INTERNAL_SERVER_ERROR",
    "E_SENDER_NOT_VERIFIED",
    "E_DAILY_LIMIT_EXCEEDED",
  ]) {
    expect(thrown(code), code).toMatchObject({ kind: "retry", isBusy: false });
  }
  const long = outcomeOfThrown(new Error("x".repeat(5000)));
  expect((long as { error: string }).error).toHaveLength(300);
  const timeout = new DOMException("The operation timed out", "TimeoutError");
  expect(outcomeOfThrown(timeout)).toMatchObject({ kind: "retry", error: "The operation timed out" });
  expect(outcomeOfThrown(null)).toMatchObject({ kind: "retry" });
});
