import { afterEach, expect, test, vi } from "vitest";
import { type Sent, scriptedFetch } from "#tests/stand-ins/scripted-fetch.ts";
import { GmailTransport, type Tools } from "./gmail-transport.server.ts";

const REQUEST = { path: "/gmail/v1/users/me/profile?q=secret", units: 3 };
const MAX_BYTES = 10_485_760;

afterEach(() => {
  vi.restoreAllMocks();
});

test("sends a request with the token, and returns Gmail's text and its type", async () => {
  const { transport, sent, tools } = transportTo([
    new Response("hello", { headers: { "Content-Type": "text/x" } }),
    new Response(""),
  ]);
  expect(await transport.send(REQUEST)).toEqual({ contentType: "text/x", text: "hello" });
  const batch = {
    method: "POST",
    path: "/batch",
    headers: { "Content-Type": "multipart/x" },
    body: "parts",
    units: 40,
  };
  await transport.send(batch as Parameters<GmailTransport["send"]>[0]);
  expect(sent.map(({ method, url, body }) => [method, url.href, body])).toEqual([
    ["GET", "http://gmail.test/gmail/v1/users/me/profile?q=secret", ""],
    ["POST", "http://gmail.test/batch", "parts"],
  ]);
  expect(sent.map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer token-1", "Bearer token-1"]);
  expect(sent[0]?.headers.get("Accept")).toBe("application/json, multipart/mixed");
  expect(sent[1]?.headers.get("Content-Type")).toBe("multipart/x");
  expect([transport.requests, tools.use]).toEqual([2, { units: 43, pauseMs: null }]);
});

test.for<[what: string, answer: Response, name: string, more: object]>([
  ["a missing scope", status(403), "ReconnectNeeded", {}],
  ["a used-up day", refused(403, "dailyLimitExceeded"), "TryLater", { why: "exhausted", afterMs: 3_600_000 }],
  ["an API that is not enabled", refused(403, "accessNotConfigured"), "GmailBroken", {}],
  ["an invalid request", status(400), "GmailBroken", {}],
  [
    "a redirect",
    new Response(null, { status: 302, headers: { Location: "http://elsewhere.test/" } }),
    "GmailBroken",
    {},
  ],
])("gives up at once after %s", async ([, answer, name, more]) => {
  const { transport, sent } = transportTo([answer, new Response("later")]);
  await expect(transport.send(REQUEST)).rejects.toMatchObject({ name, ...more });
  expect(sent).toHaveLength(1);
});

test("returns that a resource is gone", async () => {
  expect(await transportTo([status(404)]).transport.send(REQUEST)).toBe("gone");
});

const FAILING: [what: string, answer: () => Response, why: string, afterMs: number | null][] = [
  ["an outage", () => status(503), "away", null],
  ["too many requests", () => status(429), "crowded", null],
  ["a limit", () => status(429, { "Retry-After": "1" }), "crowded", 1000],
  ["a broken connection", broken, "away", null],
  ["a response that is too long", () => new Response(new Uint8Array(MAX_BYTES + 1)), "away", null],
];

for (const [what, answer, why, afterMs] of FAILING) {
  test(`tries five times after ${what}, and succeeds when it is over`, async () => {
    const { transport, sent, waits, tools } = transportTo([answer, answer, answer, answer, new Response("at last")]);
    expect(await transport.send(REQUEST)).toMatchObject({ text: "at last" });
    expect(waits).toEqual(afterMs === null ? [500, 1000, 2000, 4000] : Array(4).fill(afterMs + 500));
    expect([sent.length, transport.requests, tools.use.units]).toEqual([5, 5, 15]);

    const failing = transportTo(Array(6).fill(answer));
    await expect(failing.transport.send(REQUEST)).rejects.toMatchObject({ name: "TryLater", why, afterMs });
    expect([failing.sent.length, failing.waits.length]).toEqual([5, 4]);
  });
}

test("waits no longer than its patience", async () => {
  const patient = transportTo([status(503), new Response("")], { patienceMs: 500 });
  await patient.transport.send(REQUEST);
  expect(patient.waits).toEqual([500]);
  const hasty = transportTo([status(503), new Response("")], { patienceMs: 499 });
  await expect(hasty.transport.send(REQUEST)).rejects.toMatchObject({ name: "TryLater" });
  expect(hasty.waits).toEqual([]);
});

test("reads a response of ten megabytes", async () => {
  const { transport } = transportTo([new Response(new Uint8Array(MAX_BYTES))]);
  expect(await transport.send(REQUEST)).toMatchObject({ text: expect.stringMatching(/^\0/) });
});

test("replaces a refused token once, and again only after Google accepted one", async () => {
  const { transport, asked } = transportTo([status(401), new Response(""), status(401), new Response(""), status(401)]);
  await transport.send(REQUEST);
  transport.acceptToken();
  await transport.send(REQUEST);
  expect(asked).toEqual([null, "token-1", "token-1", "token-2"]);
  await expect(transport.send(REQUEST)).rejects.toMatchObject({ name: "ReconnectNeeded" });
});

test("keeps the longest pause that the project has to make", async () => {
  const limited = (after: string) => () =>
    Response.json(
      { error: { errors: [{ reason: "rateLimitExceeded" }] } },
      { status: 429, headers: { "Retry-After": after } },
    );
  const { transport, tools } = transportTo([limited("1"), limited("90"), limited("70"), new Response("")], {
    patienceMs: 100_000,
  });
  await transport.send(REQUEST);
  expect(tools.use.pauseMs).toBe(90_000);
});

function status(code: number, headers: HeadersInit = {}): Response {
  return new Response("", { status: code, headers });
}

function refused(code: number, reason: string): Response {
  return Response.json({ error: { errors: [{ reason }] } }, { status: code });
}

function broken(): Response {
  throw new TypeError("Network connection lost");
}

/** A transport whose requests get these answers in turn. `asked`: the refused token of each request for another. */
function transportTo(answers: (Response | (() => Response))[], more: Partial<Tools> = {}) {
  const waits: number[] = [];
  const asked: (string | null)[] = [];
  const sent: Sent[] = scriptedFetch(() => {
    const answer = answers.shift();
    if (!answer) throw new Error("one request too many");
    return typeof answer === "function" ? answer() : answer;
  });
  const tools: Tools = {
    apiBase: "http://gmail.test",
    token: async (old) => {
      asked.push(old);
      return `token-${Number(old?.slice(6) ?? 0) + 1}`;
    },
    sleep: async (ms) => {
      waits.push(ms);
    },
    random: () => 1,
    now: () => 0,
    patienceMs: 60_000,
    use: { units: 0, pauseMs: null },
    ...more,
  };
  return { transport: new GmailTransport(tools), sent, waits, asked, tools };
}
