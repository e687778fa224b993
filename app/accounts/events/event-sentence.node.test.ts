import { expect, test } from "vitest";
import { SECURITY_EVENT_KINDS } from "#app/db/schema.server.ts";
import { eventSentence } from "./event-sentence.server.ts";

const device = "Chrome on macOS";

test("names the device of a log-in, if it is known", () => {
  expect(eventSentence({ kind: "log_in", device, detail: {} })).toBe("Logged in from Chrome on macOS");
  expect(eventSentence({ kind: "new_device", device, detail: {} })).toBe(
    "Logged in from Chrome on macOS, a new device",
  );
  expect(eventSentence({ kind: "log_in_failed", device: "Unknown device", detail: {} })).toBe(
    "Log-in failed from an unknown device",
  );
});

test("names what an event is about", () => {
  const of = (kind: (typeof SECURITY_EVENT_KINDS)[number], detail: Record<string, string>) =>
    eventSentence({ kind, device, detail });
  expect(of("denied", { action: "change_password" })).toBe(
    "Wrong password or code to change the password from Chrome on macOS",
  );
  expect(of("denied", { key: "Main" })).toMatch(/the API key “Main”/);
  expect(of("session_ended", { device: "Safari on iPhone" })).toBe("Logged out Safari on iPhone from Chrome on macOS");
  expect(of("session_ended", { reason: "token_reused" })).toBe(
    "Ended a session, because an old token of it was used again",
  );
  expect(of("denied", { reason: "suspended" })).toMatch(/^Refused a log-in from Chrome on macOS, because/);
  expect(of("denied", { action: "second_step" })).toBe("Wrong code after the right password from Chrome on macOS");
  expect(of("factor_added", { factor: "Passkey “Phone”" })).toBe("Added the passkey “Phone” from Chrome on macOS");
  expect(of("factor_removed", { factor: "Authenticator app" })).toMatch(/^Removed an authenticator app from/);
  expect(of("factor_removed", { by: "support" })).toBe("Our team removed the two-step login");
  expect(of("recovery_code_used", { left: "9" })).toBe("Used a recovery code from Chrome on macOS; 9 left");
  expect(of("api_key_changed", { key: "Main", change: "limited" })).toMatch(
    /^Changed the limits of the API key “Main” from/,
  );
  expect(of("api_key_revoked", {})).toBe("Revoked all API keys");
  expect(of("webhook_changed", { url: "https://a.example", change: "turned_on" })).toMatch(
    /^Turned on the webhook https/,
  );
  expect(of("webhook_changed", { url: "https://a.example", change: "failing" })).toMatch(/because it kept failing$/);
  expect(of("role_changed", { role: "agent" })).toBe("Our team made you an agent");
});

test("says something plain about every kind, without a browser and without details", () => {
  for (const kind of SECURITY_EVENT_KINDS) {
    const sentence = eventSentence({ kind, device: "", detail: {} });
    expect(sentence, kind).toMatch(/^[A-Z][^_]{8,}$/);
    expect(sentence, kind).not.toMatch(/undefined| from$|from {2}/);
  }
});

type Detail = Record<string, string>;
test.for<[kind: (typeof SECURITY_EVENT_KINDS)[number], detail: Detail, sentence: string]>([
  ["denied", {}, "Wrong password or code from Chrome on macOS"],
  ["denied", { action: "change_email" }, "Wrong password or code to change the email address from Chrome on macOS"],
  ["denied", { action: "delete_account" }, "Wrong password or code to delete the account from Chrome on macOS"],
  ["denied", { action: "confirm_identity" }, "Wrong password or code to confirm your identity from Chrome on macOS"],
  ["email_changed", { email: "a@b.example" }, "Changed the email address to a@b.example from Chrome on macOS"],
  ["email_changed", {}, "Changed the email address to another one from Chrome on macOS"],
  ["factor_added", {}, "Added a second factor from Chrome on macOS"],
  ["factor_removed", { factor: "Recovery codes" }, "Removed recovery codes from Chrome on macOS"],
  ["factor_used", { factor: "Passkey" }, "Confirmed a log-in with a passkey from Chrome on macOS"],
  ["recovery_code_used", {}, "Used a recovery code from Chrome on macOS"],
  ["api_key_changed", { key: "Main", change: "replaced" }, "Replaced the API key “Main” from Chrome on macOS"],
  ["api_key_revoked", { key: "Main" }, "Revoked the API key “Main” from Chrome on macOS"],
  ["webhook_changed", {}, "Turned off all webhooks"],
  ["webhook_changed", { url: "https://a.example" }, "Changed the webhook https://a.example from Chrome on macOS"],
  [
    "webhook_changed",
    { url: "https://a.example", change: "new_secret" },
    "Replaced the secret of the webhook https://a.example from Chrome on macOS",
  ],
  [
    "webhook_changed",
    { url: "https://a.example", change: "events" },
    "Changed the events of the webhook https://a.example from Chrome on macOS",
  ],
  ["session_ended", {}, "Logged out from Chrome on macOS"],
  ["sessions_ended", {}, "Logged out other devices from Chrome on macOS"],
  [
    "sessions_ended",
    { reason: "setup_link" },
    "Our team sent a new link to set up two-step login, and logged out all devices",
  ],
  ["role_changed", {}, "Our team changed your role"],
  ["role_changed", { role: "customer" }, "Our team made you a customer"],
  ["role_changed", { role: "admin" }, "Our team made you an admin"],
  ["role_changed", { role: "pilot" }, "Our team made you pilot"],
  [
    "role_changed",
    { role: "customer", by: "emailed_link" },
    "Became a customer account, because an emailed link removed a second factor",
  ],
])("tells of %s with %j: %s", ([kind, detail, sentence]) => {
  expect(eventSentence({ kind, device, detail })).toBe(sentence);
});

test("names no device where no browser did it", () => {
  expect(eventSentence({ kind: "log_in", device: "", detail: {} })).toBe("Logged in");
});
