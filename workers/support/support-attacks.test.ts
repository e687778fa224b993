import { runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createCookie } from "@remix-run/cloudflare";
import { expect, test, vi } from "vitest";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { siteCookie } from "#tests/response-cookies.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import {
  newVisitor,
  ORIGIN,
  openConnection,
  roomOf,
  startChat,
  upgrade,
  type Visitor,
} from "#tests/workerd/support-visitor.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const MEGABYTE = 1024 * 1024;
const text = new TextEncoder();

/** Texts that must be returned exactly as sent. */
const NASTY = [
  "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "a\u0000b\u0007\u001b[31m",
  "gnp.exe \u200F\u200B\uFEFF",
  "line\r\nbreak\ttab\u2028sep",
  "{{7*7}} <%= 7 %> %s%n '; DROP TABLE messages; --",
  "x".repeat(4000),
  "𝕏".repeat(2000),
];
/** No message: too long by one UTF-16 unit, which is how a browser counts too; half a character; nothing. */
const NO_MESSAGE = [
  "x".repeat(4001),
  `${"𝕏".repeat(2000)}x`,
  "half \ud800",
  "\udc00 half",
  "",
  " \n\t\u00a0 ",
  "\u200B\u202E",
];

test("accepts and refuses the same strings over a socket and over HTTP", async () => {
  const ada = await newVisitor();
  const connection = await openConnection(ada.sessionId, ada.cookie);
  for (const [at, body] of NASTY.entries()) {
    connection.sendMessage(`s${at}`, body);
    await connection.next("ack");
    expect((await say(ada, JSON.stringify({ clientId: `h${at}`, body }))).status).toBe(200);
  }
  for (const body of NO_MESSAGE) {
    connection.sendMessage("no", body);
    expect(await connection.next("error"), JSON.stringify(body).slice(0, 20)).toMatchObject({ code: "bad_frame" });
    expect((await say(ada, JSON.stringify({ clientId: "no", body }))).status).toBe(422);
  }
  const answer = await SELF.fetch(messagesOf(ada), { headers: { Cookie: ada.cookie } });
  const { messages } = await answer.json<{ messages: { message: string }[] }>();
  expect(messages.slice(1).map(({ message }) => message)).toEqual(NASTY.flatMap((body) => [body, body]));
});

test("refuses an invalid message over HTTP with a reason and never with a 500", async () => {
  const ada = await newVisitor();
  const good = { clientId: "a", body: "hi" };
  const bodies: [BodyInit, number][] = [
    ["", 422],
    ["not json", 422],
    ["null", 422],
    ["[]", 422],
    ["{}", 422],
    [JSON.stringify({ ...good, sender_type: "admin" }), 422],
    [JSON.stringify({ ...good, author: "system" }), 422],
    ['{"clientId":"a","body":"hi","__proto__":{"side":"admin"}}', 422],
    [JSON.stringify({ ...good, clientId: "" }), 422],
    [JSON.stringify({ ...good, clientId: "a".repeat(65) }), 422],
    [JSON.stringify({ ...good, clientId: { $ne: 1 } }), 422],
    [new Uint8Array([0xff, 0xfe, 0, 1]), 422],
    // JSON around bytes that are not UTF-8: they could not come back as they were.
    [new Uint8Array([...text.encode('{"clientId":"a","body":"'), 0xc3, 0x28, ...text.encode('"}')]), 422],
    [JSON.stringify({ ...good, body: "x".repeat(MEGABYTE) }), 413],
  ];
  for (const [body, status] of bodies) {
    const answer = await say(ada, body);
    expect(answer.status, String(body).slice(0, 40)).toBe(status);
    expect(await answer.json()).toEqual({ error: status === 413 ? "The request is larger than 64 KB" : "bad_frame" });
  }
  const deep = await say(ada, "[".repeat(30_000));
  expect([deep.status, await deep.json()]).toEqual([413, { error: "The request has too many parts" }]);
  expect((await roomOf(ada.sessionId).read(0))?.lastSeq).toBe(1);
});

test("returns a history for any `since`, from the start if there is no such message", async () => {
  const ada = await newVisitor();
  for (const id of ["a", "b"]) await say(ada, JSON.stringify({ clientId: id, body: id }));
  const marks = [
    "",
    "-1",
    "-9007199254740993",
    "1e308",
    "Infinity",
    "NaN",
    "abc",
    "0x1F",
    "9007199254740993",
    "4",
    "1;--",
  ];
  for (const since of [...marks, "null", "[]", "%00"]) {
    const query = `since=${since.startsWith("%") ? since : encodeURIComponent(since)}`;
    const answer = await SELF.fetch(`${messagesOf(ada)}?${query}`, { headers: { Cookie: ada.cookie } });
    expect(answer.status, since).toBe(200);
    expect((await answer.json<{ messages: unknown[] }>()).messages, since).toHaveLength(3);
    const { webSocket } = await upgrade(`/support/sessions/${ada.sessionId}/socket?${query}`, ada.cookie);
    const ready = new Promise<string>((resolve) => {
      webSocket?.addEventListener("message", ({ data }) => resolve(String(data)), { once: true });
    });
    webSocket?.accept();
    expect(JSON.parse(await ready).messages, since).toHaveLength(3);
    webSocket?.close(1000, "done");
  }
  const after = await SELF.fetch(`${messagesOf(ada)}?since=2.5`, { headers: { Cookie: ada.cookie } });
  expect((await after.json<{ messages: { seq: number }[] }>()).messages.map(({ seq }) => seq)).toEqual([3]);
});

test("refuses every cross-site write that carries the visitor's cookie", async () => {
  const ada = await newVisitor();
  const at = `${ORIGIN}/support/sessions/${ada.sessionId}`;
  for (const path of [
    `${at}/messages`,
    `${at}/files?clientId=a&name=a`,
    `${at}/read`,
    `${at}/rating`,
    `${at}/transcript`,
  ]) {
    for (const [name, value] of [
      ["Origin", "https://evil.example"],
      ["Origin", "null"],
      ["Sec-Fetch-Site", "cross-site"],
    ] as const) {
      const answer = await SELF.fetch(path, {
        method: "POST",
        headers: { [name]: value, Cookie: ada.cookie, "Content-Type": "text/plain" },
        body: JSON.stringify({ clientId: "a", body: "forged" }),
      });
      expect(answer.status, path).toBe(403);
    }
  }
  const started = await SELF.fetch(`${ORIGIN}/support/session`, {
    method: "POST",
    headers: { Origin: "https://evil.example", Cookie: ada.cookie },
    body: JSON.stringify({ name: "Eve" }),
  });
  expect(started.status).toBe(403);
  expect((await roomOf(ada.sessionId).read(0))?.session.user_name).toBe("Ada");
});

test("rejects a cookie that is expired, signed with another key, or for another room", async () => {
  const ada = await newVisitor();
  const bob = await newVisitor("Bob");
  const sign = async (value: unknown, secret = env.SESSION_SECRET.split(",")[0] ?? "") => {
    const cookie = await createCookie(siteCookie("growline_support"), { secrets: [secret] }).serialize(value);
    return cookie.split(";")[0] ?? "";
  };
  const opens = async (cookie: string) => {
    const answer = await SELF.fetch(messagesOf(ada), { headers: { Cookie: cookie } });
    const socket = await upgrade(`/support/sessions/${ada.sessionId}/socket`, cookie);
    if (socket.webSocket) socket.webSocket.accept();
    expect(socket.status).toBe(answer.status === 200 ? 101 : answer.status);
    return answer.status;
  };
  const id = ada.sessionId;
  const until = Date.now() + 60_000;
  expect(await opens(await sign({ id, until }))).toBe(200);
  expect(await opens(await sign({ id, until: Date.now() - 1 }))).toBe(404);
  expect(await opens(await sign({ id, until }, "another secret"))).toBe(404);
  expect(await opens(await sign({ id: bob.sessionId, until }))).toBe(404);
  expect(await opens(await sign(id))).toBe(404);
  expect(await opens(await sign({ id: "../desk", until }))).toBe(404);
  expect(await opens(bob.cookie)).toBe(404);
  const [name, value] = ada.cookie.split("=");
  for (const broken of [value?.slice(0, -1), `${value}x`, `x${value}`, "", "%00", "{}"]) {
    expect(await opens(`${name}=${broken}`), broken).toBe(404);
    const cookies = `${name}=${broken}; ${siteCookie("growline_auth")}=${broken}`;
    const page = await SELF.fetch(`${ORIGIN}/`, { headers: { Cookie: cookies } });
    expect(page.status, broken).toBe(200);
  }
  expect((await startChat({ name: "x", session_id: id })).status).toBe(200);
  expect((await roomOf(id).read(0))?.session.user_name).toBe("Ada");
});

test("keeps any name as typed but for controls, and refuses an invalid body", async () => {
  for (const [typed, name] of [
    ["<b>Eve</b>", "<b>Eve</b>"],
    ["\u202Egnp", "gnp"],
    ["a\u0000b", "ab"],
    ["李", "李"],
  ]) {
    const { session } = await (await startChat({ name: typed })).json<{ session: SupportSession }>();
    expect(session.user_name).toBe(name);
  }
  const blank = await startChat({ name: "\u200B\u3164" });
  expect([blank.status, await blank.json()]).toEqual([422, { error: "Please enter your name" }]);
  for (const body of ["", "not json", "[]", "null", JSON.stringify({ name: { toString: 1 } })]) {
    const answer = await SELF.fetch(`${ORIGIN}/support/session`, { method: "POST", body });
    expect(answer.status, body).toBe(422);
    expect(await answer.json()).toEqual({ error: "Please enter your name" });
  }
  expect((await startChat({ name: "x".repeat(MEGABYTE) })).status).toBe(413);
});

test("refuses a file by its content and size, whatever its name", async () => {
  const ada = await newVisitor();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const html = "<!doctype html><script>alert(1)</script>";
  for (const content of [svg, html, "MZ\u0090", "%PD", "\u0089PNG"]) {
    const answer = await upload(ada, text.encode(content), "cat.png");
    expect(answer.status, content).toBe(415);
    expect(await answer.json()).toEqual({ error: "type_not_taken" });
  }
  const large = new Uint8Array(26 * MEGABYTE);
  large.set(PNG);
  expect((await upload(ada, large, "large.png")).status).toBe(413);
  // Without a Content-Length, so that the size shows only as it comes.
  const chunk = large.subarray(0, MEGABYTE);
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(chunk);
    },
  });
  expect((await upload(ada, endless, "endless.png")).status).toBe(413);
  expect(pulled).toBeLessThan(40);
  expect((await roomOf(ada.sessionId).read(0))?.lastSeq).toBe(1);
  expect((await env.UPLOADS.list({ prefix: "support/" })).objects).toEqual([]);
});

test("reduces a file name to its name alone", async () => {
  const ada = await newVisitor();
  const names: [string, string][] = [
    ["../../etc/passwd", "passwd.png"],
    ["C:\\windows\\evil.png", "evil.png"],
    ["a\r\nSet-Cookie: x=1.png", "a Set-Cookie: x=1.png"],
    ["\u202Egnp.exe", "gnp.png"],
    ['"; filename="x.html', '"; filename="x.png'],
    ["..", "...png"],
    ["/", "file.png"],
    ["", "file.png"],
    [`${"x".repeat(300)}.png`, `${"x".repeat(116)}.png`],
    ["\ud800.png", "\ufffd.png"],
  ];
  for (const [at, [given, kept]] of names.entries()) {
    expect((await upload(ada, PNG, given, `f${at}`)).status).toBe(200);
    const file = (await roomOf(ada.sessionId).read(at + 1))?.messages[0]?.file;
    expect(file?.name).toBe(kept);
    const got = await SELF.fetch(`${ORIGIN}/support/sessions/${ada.sessionId}/files/${file?.id}`, {
      headers: { Cookie: ada.cookie },
    });
    expect(got.headers.get("Set-Cookie")).toBeNull();
    expect(got.headers.get("Content-Disposition")).toMatch(/^inline; filename\*=UTF-8''[\w.%!~*()-]+$/);
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(PNG);
  }
  for (const id of ["..%2f..%2fx", "%00", "' OR 1=1 --", "nothing"]) {
    const got = await SELF.fetch(`${ORIGIN}/support/sessions/${ada.sessionId}/files/${encodeURIComponent(id)}`, {
      headers: { Cookie: ada.cookie },
    });
    expect(got.status, id).toBe(404);
  }
});

test("refuses a flood over HTTP with 429 and keeps working", async () => {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  const statuses: number[] = [];
  for (let at = 0; at < 200 && !statuses.includes(429); at++) {
    statuses.push((await say(ada, JSON.stringify({ clientId: `f${at}`, body: "flood" }))).status);
  }
  expect(statuses.at(-1)).toBe(429);
  expect((await say({ ...ada, cookie: agent.cookie }, JSON.stringify({ clientId: "a", body: "calm" }))).status).toBe(
    200,
  );
});

test("limits the sockets per side, and still lets the other side in", async () => {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  const path = `/support/sessions/${ada.sessionId}/socket`;
  const upgraded = atScale(5, 200);
  const statuses: number[] = [];
  const others: WebSocket[] = [];
  for (let at = 0; at <= upgraded; at++) {
    const { status, webSocket } = await upgrade(path, ada.cookie);
    webSocket?.accept();
    statuses.push(status);
    if (at > 0) continue;
    // The others, without their upgrades.
    await runInDurableObject(roomOf(ada.sessionId), (_, state) => {
      for (let n = upgraded; n < 200; n++) {
        const { 0: client, 1: socket } = new WebSocketPair();
        state.acceptWebSocket(socket, ["user"]);
        socket.serializeAttachment(state.getWebSockets("user")[0]?.deserializeAttachment());
        others.push(client);
      }
    });
  }
  expect(statuses).toEqual([...Array<number>(upgraded).fill(101), 429]);
  expect((await upgrade(path, agent.cookie)).status).toBe(101);
});

test("limits the upgrades of a stranger's address, whatever their cookies, and lets others in", async () => {
  const [ada, agent] = [await newVisitor(), await signedIn("agent", "Bo")];
  const path = `/support/sessions/${ada.sessionId}/socket`;
  const from = (address: string, cookie: string) =>
    SELF.fetch(ORIGIN + path, {
      headers: { Upgrade: "websocket", Origin: ORIGIN, Cookie: cookie, "CF-Connecting-IP": address },
    });
  const now = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(now);
  const statuses: number[] = [];
  for (let at = 0; at < 61; at++) {
    const { status, webSocket } = await from("203.0.113.50", at < 30 ? "" : ada.cookie);
    webSocket?.accept();
    statuses.push(status);
  }
  const expected = [...Array<number>(30).fill(404), ...Array<number>(30).fill(101), 429];
  expect(statuses).toEqual(expected);
  const forged = `${ada.cookie}; ${siteCookie("growline_auth")}=forged`;
  expect((await from("203.0.113.50", forged)).status).toBe(429);
  expect((await from("203.0.113.50", agent.cookie)).status).toBe(101);
  expect((await from("203.0.113.51", ada.cookie)).status).toBe(101);
  vi.restoreAllMocks();
});

function messagesOf({ sessionId }: Visitor): string {
  return `${ORIGIN}/support/sessions/${sessionId}/messages`;
}

function say(visitor: Visitor, body: BodyInit): Promise<Response> {
  return SELF.fetch(messagesOf(visitor), { method: "POST", headers: { Origin: ORIGIN, Cookie: visitor.cookie }, body });
}

function upload({ sessionId, cookie }: Visitor, body: BodyInit, name: string, clientId = "f"): Promise<Response> {
  const query = new URLSearchParams({ clientId, name });
  return SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/files?${query}`, {
    method: "POST",
    headers: { Origin: ORIGIN, Cookie: cookie },
    body,
  });
}
