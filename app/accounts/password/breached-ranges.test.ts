import { createHash } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { isBreachedPassword } from "./breached-passwords.server.ts";
import { guessableAs, weaknessOf } from "./password-rules.server.ts";

const PASSWORD = "seven blue whales";
const DIGEST = createHash("sha1").update(PASSWORD).digest("hex").toUpperCase();
const SUFFIX = DIGEST.slice(5);
const OTHER = "0".repeat(35);
const ON = { PWNED_PASSWORDS_URL: "https://pwned.example" };

afterEach(() => vi.unstubAllGlobals());

test.for([
  [`${OTHER}:9\r\n${SUFFIX}:1\r\n`, 200, true],
  [`${SUFFIX.toLowerCase()}:12`, 200, true],
  [`${SUFFIX}:0\r\n${OTHER}:9`, 200, false],
  [`${OTHER}:9\r\n`, 200, false],
  [`${SUFFIX}\r\n`, 200, false],
  ["", 200, false],
  [`${SUFFIX}:9`, 500, false],
  [`${SUFFIX}:9`, 302, false],
] as const)("reads the range %o of status %i: %s", async ([range, status, isBreached]) => {
  const fetched = vi.fn(async () => new Response(range, { status }));
  vi.stubGlobal("fetch", fetched);
  expect(await isBreachedPassword(ON, PASSWORD)).toBe(isBreached);
  const headers = { "Add-Padding": "true", "User-Agent": "Growline" };
  const init = expect.objectContaining({ headers, redirect: "manual", signal: expect.any(AbortSignal) });
  expect(fetched).toHaveBeenCalledExactlyOnceWith(`https://pwned.example/range/${DIGEST.slice(0, 5)}`, init);
});

test("asks nobody when the service is off, or about a password that is easy to guess anyway", async () => {
  const fetched = vi.fn(async () => new Response(`${SUFFIX}:9`));
  vi.stubGlobal("fetch", fetched);
  const owner = { email: "x@nordhaven.example", fullName: "" };
  expect(await isBreachedPassword({ PWNED_PASSWORDS_URL: "" }, PASSWORD)).toBe(false);
  expect(await weaknessOf(ON, "Trustno1", owner)).toBe("common_password");
  expect(await weaknessOf(ON, "Nordhaven1", owner)).toBe("context_password");
  expect(fetched).not.toHaveBeenCalled();
  expect(await weaknessOf(ON, PASSWORD, owner)).toBe("breached_password");
  expect(await weaknessOf(ON, "eight blue whales", owner)).toBeNull();
  expect(guessableAs(PASSWORD, owner)).toBeNull();
});
