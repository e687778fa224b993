import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openBrowserSession } from "./browser-session.ts";
import { restoreWebSession } from "./shared-refresh.ts";
import { readStored, type StoredSession, store } from "./stored-session.ts";

const AUTH = "https://growline.example/auth/v1";
const COOKIE_TOKENS = "/auth/v1/token?grant_type=cookie";
const REFRESH = `${AUTH}/token?grant_type=refresh_token`;
const EXPIRES_AT = Math.floor(Date.now() / 1000) + 600;
const items = new Map<string, string>();
const onLoggedOut = vi.fn();
let over: AbortController;
let sent: string[];
let responses: Record<string, () => Response>;

beforeEach(() => {
  items.clear();
  onLoggedOut.mockClear();
  over = new AbortController();
  sent = [];
  responses = {
    [`${AUTH}/user`]: () => Response.json({ id: "u", aud: "authenticated" }),
    [COOKIE_TOKENS]: () => Response.json(sessionOf("of the cookie", "mine")),
  };
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("location", { origin: "https://growline.example", href: "https://growline.example/dashboard" });
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
  vi.stubGlobal("fetch", async (url: string) => {
    sent.push(String(url));
    return responses[String(url)]?.() ?? new Response(null, { status: 404 });
  });
});
afterEach(() => {
  over.abort();
  vi.unstubAllGlobals();
});

test("restores the stored session of the cookie", async () => {
  store(sessionOf("stored", "mine"));
  await open();
  expect(sent).toEqual([`${AUTH}/user`]);
  expect(readStored()).toEqual(sessionOf("stored", "mine"));
  expect(onLoggedOut).not.toHaveBeenCalled();
});

test.for([null, sessionOf("stored", "another")])("requests the cookie's tokens where %o is stored", async (stored) => {
  store(stored);
  await open();
  expect(sent).toEqual([COOKIE_TOKENS, `${AUTH}/user`]);
  expect(readStored()).toEqual(sessionOf("of the cookie", "mine"));
  expect(onLoggedOut).not.toHaveBeenCalled();
});

test("requests the cookie's tokens in place of a stored session that the server refuses", async () => {
  store(sessionOf("stored", "mine"));
  const replies = [Response.json({ error_code: "bad_jwt", msg: "" }, { status: 403 })];
  responses[`${AUTH}/user`] = () => replies.pop() ?? Response.json({ id: "u", aud: "authenticated" });
  await open();
  expect(sent).toEqual([`${AUTH}/user`, COOKIE_TOKENS, `${AUTH}/user`]);
  expect(readStored()).toEqual(sessionOf("of the cookie", "mine"));
});

test("keeps the stored session while the server can't be reached", async () => {
  store(sessionOf("stored", "mine"));
  responses[`${AUTH}/user`] = () => Response.json({}, { status: 503 });
  await open();
  expect(sent).toEqual([`${AUTH}/user`]);
  expect(readStored()).toEqual(sessionOf("stored", "mine"));
});

test("leaves the stored session to the log-out that ends a refresh under way", async () => {
  const expired = sessionOf("stored", "mine", 1000);
  store(expired);
  vi.stubGlobal("fetch", (url: string, { signal }: RequestInit) => {
    sent.push(String(url));
    over.abort();
    return Promise.reject(signal?.reason);
  });
  await open();
  expect(sent).toEqual([REFRESH]);
  expect(readStored()).toEqual(expired);
  expect(onLoggedOut).not.toHaveBeenCalled();
});

test("stores nothing if the cookie's session has ended", async () => {
  responses[COOKIE_TOKENS] = () => Response.json({ error_code: "session_expired" }, { status: 401 });
  await open();
  expect(sent).toEqual([COOKIE_TOKENS]);
  expect(readStored()).toBeNull();
});

test.for([400, 401, 403])(
  "discards the session of another log-in if its replacement is refused with %i",
  async (status) => {
    store(sessionOf("stored", "another"));
    responses[COOKIE_TOKENS] = () => Response.json({ error_code: "no_authorization" }, { status });
    await open();
    expect(sent).toEqual([COOKIE_TOKENS]);
    expect(readStored()).toBeNull();
  },
);

/** Responses of a firewall, a proxy or a rate limit. They say nothing about the session. */
const UNRELATED: [status: number, body: string][] = [
  ...[400, 403, 404, 408, 425].map((status): [number, string] => [status, "<h1>Not now</h1>"]),
  [403, '{"message":"blocked"}'],
  [403, "null"],
  [404, '{"error_code":"not_found"}'],
  [429, '{"error_code":"over_request_rate_limit"}'],
  [500, "{}"],
  [503, "{}"],
];

test.for(UNRELATED)(
  "keeps the session of another log-in if its replacement fails with %i %s",
  async ([status, body]) => {
    store(sessionOf("stored", "another"));
    responses[COOKIE_TOKENS] = () => new Response(body, { status });
    await open();
    expect(readStored()).toEqual(sessionOf("stored", "another"));
  },
);

test("discards the session of another log-in if the server refuses the one that it issued", async () => {
  store(sessionOf("stored", "another"));
  responses[`${AUTH}/user`] = () => Response.json({ error_code: "bad_jwt", msg: "" }, { status: 403 });
  await open();
  expect(sent).toEqual([COOKIE_TOKENS, `${AUTH}/user`]);
  expect(readStored()).toBeNull();
});

const RESTORE = "/auth/v1/token?grant_type=refresh_token";

test.for([400, 401, 403])(
  "discards the session that can't restore the lost cookie if it is refused with %i",
  async (status) => {
    store(sessionOf("stored", "mine"));
    responses[RESTORE] = () => Response.json({ error_code: "session_expired" }, { status });
    expect(await restoreWebSession(over.signal)).toBe(false);
    expect(readStored()).toBeNull();
  },
);

test.for(UNRELATED)("keeps the session that could restore the lost cookie after %i %s", async ([status, body]) => {
  store(sessionOf("stored", "mine"));
  responses[RESTORE] = () => new Response(body, { status });
  expect(await restoreWebSession(over.signal)).toBe(false);
  expect(readStored()).toEqual(sessionOf("stored", "mine"));
});

test.for(UNRELATED)("keeps the stored session of the cookie after %i %s", async ([status, body]) => {
  store(sessionOf("stored", "mine"));
  responses[`${AUTH}/user`] = () => new Response(body, { status });
  await open();
  expect(readStored()).toEqual(sessionOf("stored", "mine"));
});

test("tells the page when a refresh finds the session ended", async () => {
  store({ ...sessionOf("stored", "mine", 1) });
  responses[REFRESH] = () => Response.json({ error_code: "session_expired", msg: "" }, { status: 400 });
  responses[COOKIE_TOKENS] = () => new Response(null, { status: 401 });
  await open();
  expect(sent).toEqual([REFRESH, COOKIE_TOKENS]);
  expect(readStored()).toBeNull();
  expect(onLoggedOut).toHaveBeenCalledTimes(1);
});

test("does nothing once the page's session is over", async () => {
  store(sessionOf("stored", "mine"));
  over.abort();
  await open();
  expect(sent).toEqual([]);
  expect(readStored()).toEqual(sessionOf("stored", "mine"));
});

test.for([
  ["refreshes tokens that are about to expire", false, [COOKIE_TOKENS, `${AUTH}/user`, REFRESH]],
  ["refreshes nothing once the page's session is over", true, [COOKIE_TOKENS, `${AUTH}/user`]],
] as const)("%s", async ([, isOver, requests]) => {
  vi.useFakeTimers();
  try {
    const expiring = sessionOf("expiring", "mine", Math.floor(Date.now() / 1000) + 125);
    responses[COOKIE_TOKENS] = () => Response.json(expiring);
    responses[REFRESH] = () =>
      Response.json({ ...sessionOf("next", "mine"), expires_in: 600, user: { id: "u", aud: "authenticated" } });
    const opening = open();
    await vi.advanceTimersByTimeAsync(10);
    await opening;
    if (isOver) over.abort();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(sent).toEqual(requests);
    expect(readStored()?.refresh_token).toBe(isOver ? "expiring" : "next");
  } finally {
    over.abort();
    vi.useRealTimers();
  }
});

function open(): Promise<void> {
  return openBrowserSession("mine", over.signal, onLoggedOut);
}

function sessionOf(name: string, sessionId: string, expiresAt = EXPIRES_AT): StoredSession {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { sub: "u", session_id: sessionId, exp: expiresAt };
  const token = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.c2lnbmF0dXJl`;
  return { access_token: token, refresh_token: name, expires_at: expiresAt };
}
