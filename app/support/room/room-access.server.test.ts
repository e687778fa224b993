import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { newAnonymousSessionId, userSessionId } from "#app/support/protocol/session-id.ts";
import { DAY_MS } from "#app/time.ts";
import { siteCookie } from "#tests/response-cookies.ts";
import {
  agentIdentity,
  grantConversation,
  identityIn,
  ownSessionId,
  type Person,
  readCaller,
  releaseConversation,
} from "./room-access.server.ts";

const URL = "https://growline.example/support";
const USER_ID = crypto.randomUUID();
const ADA: Person = {
  userId: USER_ID,
  sessionId: "session-1",
  email: "ada@mail.example",
  fullName: "Ada L",
  role: "customer",
};
const SIGNED_IN = { authSession: { id: "session-1", userId: USER_ID } };
const OWN = userSessionId(USER_ID);
const ANONYMOUS = someBrowser();

afterEach(() => {
  vi.useRealTimers();
});

test("lets a browser into its conversation for 180 days", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
  const granted = await grantConversation(new Request(URL), env, ANONYMOUS);
  expect(granted).toMatch(/Max-Age=15552000;.*HttpOnly/);
  for (const [at, anonymousId] of [
    [180 * DAY_MS - 1, ANONYMOUS],
    [180 * DAY_MS, null],
  ] as const) {
    vi.setSystemTime(at);
    expect(await readCaller(withCookie(granted), env, ADA)).toEqual({ person: ADA, anonymousId });
  }
  expect(await readCaller(new Request(URL), env, null)).toEqual({ person: null, anonymousId: null });
  const forAnAccount = await grantConversation(new Request(URL), env, "no id of a session");
  expect(await readCaller(withCookie(forAnAccount), env, null)).toEqual({ person: null, anonymousId: null });
  const released = await releaseConversation(new Request(URL), env);
  expect(released).toMatch(new RegExp(`^${siteCookie("growline_support")}=;.*Max-Age=0`));
});

test.for<[what: string, caller: { person: Person | null; anonymousId: string | null }, own: string | null]>([
  ["an account, also of a browser that talked before", { person: ADA, anonymousId: ANONYMOUS }, OWN],
  ["a browser", { person: null, anonymousId: ANONYMOUS }, ANONYMOUS],
  ["nobody", { person: null, anonymousId: null }, null],
])("knows the own conversation of %s", ([, caller, own]) => {
  expect(ownSessionId(caller)).toBe(own);
});

const VISITOR = { side: "user", author: ANONYMOUS, name: "Visitor", authSession: null };
const CUSTOMER = { side: "user", author: OWN, name: "Ada L", ...SIGNED_IN };
const STAFF = { side: "admin", author: USER_ID, name: "Ada L", ...SIGNED_IN };

test.for<[who: string, person: Partial<Person> | null, where: string, identity: object | null]>([
  ["a browser into its conversation", null, ANONYMOUS, VISITOR],
  ["a browser into no other", null, someBrowser(), null],
  ["a browser into no account's", null, OWN, null],
  ["a customer into the account's", {}, OWN, CUSTOMER],
  ["a customer without a name into the account's", { fullName: "" }, OWN, { ...CUSTOMER, name: "ada@mail.example" }],
  ["a customer into the browser's", {}, ANONYMOUS, VISITOR],
  ["a customer into no other", {}, userSessionId(crypto.randomUUID()), null],
  ["an agent into each", { role: "agent" }, someBrowser(), STAFF],
  ["an admin into each", { role: "admin" }, userSessionId(crypto.randomUUID()), STAFF],
  ["an agent without a name into each", { role: "agent", fullName: "" }, ANONYMOUS, { ...STAFF, name: "Support" }],
  ["an agent into the own as its customer", { role: "agent" }, OWN, CUSTOMER],
  ["an agent into what is no conversation", { role: "agent" }, "no id of a session", null],
])("lets %s", ([, person, where, identity]) => {
  const caller = { person: person && { ...ADA, ...person }, anonymousId: ANONYMOUS };
  expect(identityIn(where, caller)).toEqual(identity);
});

test.for(["customer", "agent", "admin"] as const)("lets only the team act as the team: %s", (role) => {
  expect(agentIdentity({ person: { ...ADA, role } })).toEqual(role === "customer" ? null : STAFF);
  expect(agentIdentity({ person: null })).toBeNull();
});

function someBrowser(): string {
  return newAnonymousSessionId(1, crypto.randomUUID().replaceAll("-", ""));
}

function withCookie(setCookie: string): Request {
  return new Request(URL, { headers: { Cookie: setCookie.split(";")[0] ?? "" } });
}
