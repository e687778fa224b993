import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askForPasskey, canOfferInAutofill, hasPasskeys, stopAsking } from "./ask-for-passkey.ts";

const AUTHENTICATION = {
  id: "a",
  rawId: new ArrayBuffer(1),
  type: "public-key",
  response: { authenticatorData: bytes(), clientDataJSON: bytes(), signature: bytes() },
  getClientExtensionResults: () => ({}),
};
const REGISTRATION = { ...AUTHENTICATION, id: "r", response: { attestationObject: bytes(), clientDataJSON: bytes() } };
const credentials = {
  get: vi.fn<(options: { signal: AbortSignal; mediation?: string }) => Promise<unknown>>(),
  create: vi.fn<() => Promise<unknown>>(),
};
const post = vi.fn<(path: string, init: { method: string; body: URLSearchParams }) => Promise<Response>>();
const isConditionalMediationAvailable = vi.fn<() => Promise<boolean>>();

beforeEach(() => {
  for (const mock of [credentials.get, credentials.create, post, isConditionalMediationAvailable]) mock.mockReset();
  credentials.get.mockResolvedValue(AUTHENTICATION);
  credentials.create.mockResolvedValue(REGISTRATION);
  isConditionalMediationAvailable.mockResolvedValue(true);
  post.mockImplementation(async () => {
    const user = { id: "AA", name: "", displayName: "" };
    return Response.json({ challengeId: "c", options: { challenge: "AA", user } });
  });
  withPasskeys(Object.assign(() => {}, { isConditionalMediationAvailable }));
  vi.stubGlobal("navigator", { credentials });
  vi.stubGlobal("document", { querySelectorAll: () => [{}] });
  vi.stubGlobal("fetch", post);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("has passkeys only in a browser with their API", () => {
  expect(hasPasskeys()).toBe(true);
  withPasskeys(undefined);
  expect(hasPasskeys()).toBe(false);
  withPasskeys({});
  expect(hasPasskeys()).toBe(false);
  vi.stubGlobal("window", undefined);
  expect(hasPasskeys()).toBe(false);
});

test.for([
  { purpose: "register", id: "r" },
  { purpose: "log_in", id: "a" },
  { purpose: "second_step", id: "a" },
  { purpose: "confirm", id: "a" },
] as const)("asks for a passkey to $purpose, by the server's options", async ({ purpose, id }) => {
  const asked = await askForPasskey(purpose);
  if (!asked.ok) throw new Error(asked.reason);
  expect(asked.fields.challengeId).toBe("c");
  expect(JSON.parse(asked.fields.credential)).toMatchObject({ id });
  const [[path, init] = []] = post.mock.calls;
  expect([path, init?.method, String(init?.body)]).toEqual(["/auth/passkey-options", "POST", `purpose=${purpose}`]);
  expect(credentials.get).toHaveBeenCalledTimes(id === "a" ? 1 : 0);
  expect(credentials.create).toHaveBeenCalledTimes(id === "a" ? 0 : 1);
});

test("waits in the suggestions of a field only if it is told to", async () => {
  await askForPasskey("log_in");
  await askForPasskey("log_in", { inAutofill: true });
  expect(credentials.get.mock.calls.map(([{ mediation }]) => mediation)).toEqual([undefined, "conditional"]);
});

test.for([
  ["NotAllowedError", "dismissed"],
  ["AbortError", "dismissed"],
  ["NotSupportedError", "failed"],
  ["XNotAllowedError", "failed"],
  ["AbortErrorX", "failed"],
] as const)("takes a browser's %s as %s", async ([name, reason]) => {
  credentials.get.mockRejectedValue(Object.assign(new Error(""), { name }));
  expect(await askForPasskey("log_in")).toEqual({ ok: false, reason });
});

test("fails where the server gives no options, without asking", async () => {
  const options = { challengeId: "c", options: { challenge: "AA" } };
  post.mockImplementation(async () => Response.json(options, { status: 401 }));
  expect(await askForPasskey("confirm")).toEqual({ ok: false, reason: "failed" });
  post.mockRejectedValue({ name: "AbortError" });
  expect(await askForPasskey("confirm")).toEqual({ ok: false, reason: "failed" });
  expect(credentials.get).not.toHaveBeenCalled();
});

test("offers passkeys in suggestions where the browser says that it can", async () => {
  expect(await canOfferInAutofill()).toBe(true);
  isConditionalMediationAvailable.mockResolvedValue(false);
  expect(await canOfferInAutofill()).toBe(false);
  withPasskeys(() => {});
  expect(await canOfferInAutofill()).toBe(false);
  withPasskeys(undefined);
  expect(await canOfferInAutofill()).toBe(false);
});

test("ends the question that is open", async () => {
  let signal: AbortSignal | undefined;
  credentials.get.mockImplementation(
    (options) =>
      new Promise((_, reject) => {
        signal = options.signal;
        signal.addEventListener("abort", () => reject(options.signal.reason));
      }),
  );
  const asked = askForPasskey("log_in");
  await vi.waitFor(() => expect(signal).toBeDefined(), { timeout: 90_000 });
  await stopAsking();
  expect(await asked).toEqual({ ok: false, reason: "dismissed" });
});

function withPasskeys(PublicKeyCredential: unknown): void {
  vi.stubGlobal("PublicKeyCredential", PublicKeyCredential);
  vi.stubGlobal("window", { PublicKeyCredential });
}

function bytes(): ArrayBuffer {
  return new ArrayBuffer(1);
}
