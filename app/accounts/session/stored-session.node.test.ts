import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claimsOf, requestTokens, restoreWebSession, sharedRefreshFetch } from "./shared-refresh.ts";
import { onRemovedElsewhere, readStored, SESSION_KEY, type StoredSession, store } from "./stored-session.ts";

const NOW = 1_700_000_000_000;
const REFRESH = "https://growline.example/auth/v1/token?grant_type=refresh_token";
const running = new AbortController().signal;
const items = new Map<string, string>();
const sent: { url: string; init: RequestInit | undefined }[] = [];
const locked: string[] = [];
let respond: (url: string) => Promise<Response> | Response;

beforeEach(() => {
  items.clear();
  sent.length = 0;
  locked.length = 0;
  respond = () => Response.json(sessionOf("new"));
  vi.spyOn(Date, "now").mockReturnValue(NOW);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
  vi.stubGlobal("navigator", {
    locks: {
      async request(name: string, work: () => Promise<unknown>) {
        locked.push(name);
        return work();
      },
    },
  });
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
    sent.push({ url: String(url), init });
    return respond(String(url));
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const STORED: [text: string, isValid: boolean][] = [
  ['{"access_token":"a","refresh_token":"r","expires_at":1}', true],
  ['{"access_token":1,"refresh_token":"r","expires_at":1}', false],
  ['{"access_token":"a","expires_at":1}', false],
  ['{"access_token":"a","refresh_token":"r","expires_at":"1"}', false],
  ["null", false],
  ["{", false],
];

test.for(STORED)("reads the stored session %s: %s", ([text, isValid]) => {
  expect(readStored()).toBeNull();
  items.set(SESSION_KEY, text);
  expect(readStored()).toEqual(isValid ? JSON.parse(text) : null);
});

test("stores a session that has both tokens, removes it otherwise, and tells the page each time", () => {
  const changed = vi.fn();
  window.addEventListener("growline:session", changed);
  store({ ...sessionOf("a"), extra: "not stored" } as StoredSession);
  expect(items.get(SESSION_KEY)).toBe(JSON.stringify(sessionOf("a")));
  store({ access_token: "a", refresh_token: "r" });
  expect(readStored()).toEqual({ access_token: "a", refresh_token: "r", expires_at: 0 });
  for (const none of [
    null,
    {},
    { access_token: "a" },
    { refresh_token: "r" },
    { access_token: "", refresh_token: "r" },
  ]) {
    store(sessionOf("a"));
    store(none);
    expect(items.has(SESSION_KEY)).toBe(false);
  }
  expect(changed).toHaveBeenCalledTimes(12);
});

test("goes on without storage where it is blocked", () => {
  const blocked = () => {
    throw new Error("blocked");
  };
  vi.stubGlobal("localStorage", { getItem: blocked, setItem: blocked, removeItem: blocked });
  const changed = vi.fn();
  window.addEventListener("growline:session", changed);
  expect(readStored()).toBeNull();
  store(sessionOf("a"));
  expect(changed).toHaveBeenCalledTimes(1);
});

test.for([
  [SESSION_KEY, null, true],
  [null, null, true],
  [SESSION_KEY, "{}", false],
  ["another key", null, false],
] as const)(
  "notices that another tab removed the session, by the key %s and value %s: %s",
  ([key, value, isRemoved]) => {
    const callback = vi.fn();
    const stop = onRemovedElsewhere(callback);
    const change = () => window.dispatchEvent(Object.assign(new Event("storage"), { key, newValue: value }));
    change();
    stop();
    change();
    expect(callback).toHaveBeenCalledTimes(isRemoved ? 1 : 0);
  },
);

test("reads the claims of a token, and none of an invalid one", () => {
  expect(claimsOf(tokenOf("s"))).toEqual({ sub: "u", email: "ä???>>>@test.example", session_id: "s" });
  for (const invalid of ["", "a", "a.b", "a.!!.c"]) expect(claimsOf(invalid)).toEqual({});
});

test("restores the lost cookie of the stored session, and stores what the server returns", async () => {
  store(sessionOf("old"));
  expect(await restoreWebSession(running)).toBe(true);
  expect(sent).toEqual([posted("/auth/v1/token?grant_type=refresh_token", { refresh_token: "old refresh" })]);
  expect(readStored()).toEqual(sessionOf("new"));
  expect(locked).toEqual(["growline.session.refresh"]);
});

test("discards a stored session that the server refuses, and asks nothing without one", async () => {
  expect(await restoreWebSession(running)).toBe(false);
  expect(sent).toEqual([]);
  store(sessionOf("old"));
  respond = () => Response.json({ error_code: "session_expired" }, { status: 400 });
  expect(await restoreWebSession(running)).toBe(false);
  expect(readStored()).toBeNull();
});

test("requests tokens for the cookie's session, unless another tab has stored some", async () => {
  expect(await requestTokens("s", running)).toEqual(sessionOf("new"));
  expect(sent).toEqual([posted("/auth/v1/token?grant_type=cookie", {})]);
  store(sessionOf("old", "another session"));
  expect(await requestTokens("s", running)).toEqual(sessionOf("new"));
  respond = () => new Response(null, { status: 401 });
  expect(await requestTokens("s", running)).toBeNull();
  expect(sent).toHaveLength(3);
  store(sessionOf("old", "s"));
  expect(await requestTokens("s", running)).toEqual(sessionOf("old", "s"));
  expect(sent).toHaveLength(3);
  expect(locked).toHaveLength(4);
});

test("works without locks, as on plain http", async () => {
  vi.stubGlobal("navigator", {});
  expect(await requestTokens("s", running)).toEqual(sessionOf("new"));
});

test("lets one tab refresh at a time, and stores what it got", async () => {
  store(sessionOf("old"));
  const response = await refresh("old refresh");
  expect(await response.json()).toEqual(sessionOf("new"));
  expect(sent).toEqual([{ url: REFRESH, init: expect.objectContaining({ method: "POST", signal: running }) }]);
  expect(bodySent()).toEqual({ refresh_token: "old refresh" });
  expect(readStored()).toEqual(sessionOf("new"));
  expect(locked).toEqual(["growline.session.refresh"]);
});

test("refreshes with the token that is stored, which another tab may have got, or else with its own", async () => {
  store({ ...sessionOf("other"), expires_at: NOW / 1000 + 90 });
  await refresh("old refresh");
  expect(bodySent()).toEqual({ refresh_token: "other refresh" });
  store(null);
  await refresh("old refresh");
  expect(bodySent()).toEqual({ refresh_token: "old refresh" });
  expect(readStored()).toEqual(sessionOf("new"));
});

test("uses the tokens that another tab got, while they last for more than a minute and a half", async () => {
  const stored = { ...sessionOf("other"), expires_at: NOW / 1000 + 91 };
  store(stored);
  const response = await refresh("old refresh");
  expect(await response.json()).toEqual({
    ...stored,
    token_type: "bearer",
    expires_in: 91,
    user: { id: "u", email: "ä???>>>@test.example", aud: "authenticated", app_metadata: {}, user_metadata: {} },
  });
  expect(sent).toEqual([]);
  await refresh("other refresh");
  expect(sent).toHaveLength(1);
});

test("hands on a refusal, and keeps what is stored", async () => {
  store(sessionOf("old"));
  respond = () => Response.json({ error_code: "session_expired" }, { status: 400 });
  expect((await refresh("old refresh")).status).toBe(400);
  expect(readStored()).toEqual(sessionOf("old"));
});

test("stores nothing if another tab has logged out meanwhile", async () => {
  store(sessionOf("old"));
  respond = () => {
    items.clear();
    return Response.json(sessionOf("new"));
  };
  const response = await refresh("old refresh");
  expect([response.status, await response.json()]).toEqual([
    400,
    { code: 400, error_code: "session_expired", msg: "Logged out" },
  ]);
  expect(readStored()).toBeNull();
});

test("sends other requests as they are, and none in turn", async () => {
  const init = { headers: { Authorization: "Bearer a" } };
  await sharedRefreshFetch(running)("https://growline.example/auth/v1/user", init);
  expect(sent).toEqual([{ url: "https://growline.example/auth/v1/user", init: { ...init, signal: running } }]);
  expect(locked).toEqual([]);
});

test("reports a failed request, but none that was cut off by the end of the page's session", async () => {
  const over = new AbortController();
  const send = sharedRefreshFetch(over.signal);
  respond = () => Promise.reject(new TypeError("failed to fetch"));
  await expect(send("https://growline.example/auth/v1/user")).rejects.toThrow("failed to fetch");
  over.abort();
  expect((await send("https://growline.example/auth/v1/user")).status).toBe(400);
});

function refresh(token: string): Promise<Response> {
  const init = { method: "POST", body: JSON.stringify({ refresh_token: token }) };
  return sharedRefreshFetch(running)(REFRESH, init);
}

function bodySent(): unknown {
  return JSON.parse(String(sent.at(-1)?.init?.body));
}

function posted(url: string, body: object) {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, signal: running };
  return { url, init: { ...init, body: JSON.stringify(body) } };
}

function sessionOf(name: string, sessionId = "s"): StoredSession {
  return { access_token: tokenOf(sessionId), refresh_token: `${name} refresh`, expires_at: NOW / 1000 + 600 };
}

/** An access token whose payload has both characters in which base64url differs from base64. */
function tokenOf(sessionId: string): string {
  const claims = JSON.stringify({ sub: "u", email: "ä???>>>@test.example", session_id: sessionId });
  return `header.${btoa(claims).replaceAll("+", "-").replaceAll("/", "_")}.signature`;
}
