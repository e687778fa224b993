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
