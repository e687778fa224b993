import { afterEach, expect, test, vi } from "vitest";
import { type Sent, scriptedFetch } from "#tests/stand-ins/scripted-fetch.ts";
import { GmailClient } from "./gmail-client.server.ts";

const PROFILE = { emailAddress: "ada@mail.example", historyId: "7", messagesTotal: 250 };

afterEach(() => {
  vi.restoreAllMocks();
});

test("reads whose mailbox it is", async () => {
  const { gmail, sent, use } = clientOf([Response.json(PROFILE)]);
  expect(await gmail.profile()).toEqual(PROFILE);
  expect([pathsOf(sent), gmail.requests, use.units]).toEqual([["/gmail/v1/users/me/profile"], 1, 1]);
  const { messagesTotal, ...empty } = PROFILE;
  expect(await clientOf([Response.json(empty)]).gmail.profile()).toEqual({ ...empty, messagesTotal: 0 });
});

test.for([
  ["no address", Response.json({ historyId: "7" })],
  ["an empty address", Response.json({ ...PROFILE, emailAddress: "" })],
  ["a history id that is no number", Response.json({ ...PROFILE, historyId: "7a" })],
  ["a number of messages that is none", Response.json({ ...PROFILE, messagesTotal: -1 })],
  ["no JSON", new Response("<html>")],
  ["no such page", new Response("", { status: 404 })],
] as const)("does not take %s for a profile", async ([, answer]) => {
  await expect(clientOf([answer]).gmail.profile()).rejects.toMatchObject({ name: "GmailBroken" });
});

test("lists the newest messages, and whether there are others", async () => {
  const listed = { messages: [{ id: "a" }, { id: "b" }, { id: "c" }] };
  const { gmail, sent, use } = clientOf([
    Response.json(listed),
    Response.json({ ...listed, nextPageToken: "next" }),
    Response.json({}),
    Response.json({ messages: [{ id: "" }] }),
  ]);
  expect(await gmail.list(3)).toEqual({ ids: ["a", "b", "c"], whole: true });
  expect(await gmail.list(2)).toEqual({ ids: ["a", "b"], whole: false });
  expect(await gmail.list(2)).toEqual({ ids: [], whole: true });
  await expect(gmail.list(2)).rejects.toMatchObject({ name: "GmailBroken" });
  expect(pathsOf(sent).slice(0, 2)).toEqual([3, 2].map((max) => `/gmail/v1/users/me/messages?maxResults=${max}`));
  expect(use.units).toBe(20);
});

test("reads the history page by page", async () => {
  const { gmail, sent, use } = clientOf([
    Response.json({ historyId: "8", nextPageToken: "second" }),
    Response.json({ historyId: "9" }),
  ]);
  expect(await gmail.history("7")).toMatchObject([{ historyId: "8" }, { historyId: "9" }]);
  const path = "/gmail/v1/users/me/history?startHistoryId=7&maxResults=500";
  expect([pathsOf(sent), use.units]).toEqual([[path, `${path}&pageToken=second`], 4]);
});

test("reads a history of a hundred pages, and no longer one", async () => {
  const more = () => Response.json({ historyId: "8", nextPageToken: "next" });
  const whole = clientOf([...Array<() => Response>(99).fill(more), Response.json({ historyId: "9" })]);
  expect(await whole.gmail.history("7")).toHaveLength(100);
  const endless = clientOf(Array<() => Response>(101).fill(more));
  expect(await endless.gmail.history("7")).toBe("too_old");
  expect(endless.sent).toHaveLength(100);
});

test("says that Gmail no longer has a history", async () => {
  expect(await clientOf([new Response("", { status: 404 })]).gmail.history("7")).toBe("too_old");
});

test("reads messages in one batch, and sorts them by their outcome", async () => {
  const { gmail, sent, use } = clientOf([
    batch([
      ["new", 200, message("new")],
      ["trashed", 200, { ...message("trashed"), labelIds: ["TRASH"] }],
      ["deleted", 404, {}],
      ["mixed up", 200, message("another")],
      ["garbled", 200, { id: "garbled", labelIds: "INBOX" }],
      ["unasked", 200, message("unasked")],
    ]),
  ]);
  const ids = ["new", "trashed", "deleted", "mixed up", "garbled", "left out"];
  expect(await gmail.messages(ids)).toEqual({
    found: [expect.objectContaining({ id: "new", fromEmail: "bo@sender.example" })],
    gone: ["trashed", "deleted"],
    failed: ["mixed up", "garbled", "left out"],
    crowded: false,
    afterMs: null,
  });
  expect(use.units).toBe(120);
  const [{ method, url, headers, body } = {} as Sent] = sent;
  expect([method, url.pathname]).toEqual(["POST", "/batch/gmail/v1"]);
  const boundary = /^multipart\/mixed; boundary="(batch_[\w-]+)"$/.exec(headers.get("Content-Type") ?? "")?.[1];
  expect(body.split(`--${boundary}`)).toHaveLength(ids.length + 2);
  expect(body).toContain(
    "GET /gmail/v1/users/me/messages/mixed%20up?format=metadata&metadataHeaders=From&metadataHeaders=Subject HTTP/1.1",
  );
});

test("waits for the part that asks for the longest wait", async () => {
  const limited = { error: { errors: [{ reason: "userRateLimitExceeded" }] } };
  const parts: Part[] = [
    ["a", 503, {}, "Retry-After: 3"],
    ["b", 503, {}, "Retry-After: 9"],
    ["c", 503, {}, "Retry-After: 6"],
    ["d", 503, {}],
  ];
  const { gmail, use } = clientOf([
    batch(parts),
    batch([
      ["a", 403, limited],
      ["b", 503, {}],
    ]),
  ]);
  const ids = ["a", "b", "c", "d"];
  const nothing = { found: [], gone: [] };
  expect(await gmail.messages(ids)).toEqual({ ...nothing, failed: ids, crowded: false, afterMs: 9000 });
  const crowded = { ...nothing, failed: ["a", "b"], crowded: true, afterMs: null };
  expect(await gmail.messages(["a", "b"])).toEqual(crowded);
  expect(use.pauseMs).toBeNull();
});

test("notes in a part that the project's quota is used up", async () => {
  const limited = { error: { errors: [{ reason: "rateLimitExceeded" }] } };
  const { gmail, use } = clientOf([batch([["a", 429, limited]])]);
  await gmail.messages(["a"]);
  expect(use.pauseMs).toBe(60_000);
});

test.for([
  ["forbidden", 403, {}, "ReconnectNeeded"],
  ["beyond the quota of a day", 403, { error: { errors: [{ reason: "dailyLimitExceeded" }] } }, "TryLater"],
  ["invalid", 400, {}, "GmailBroken"],
] as const)("stops at a part that is %s", async ([, status, body, name]) => {
  const { gmail } = clientOf([
    batch([
      ["a", 200, message("a")],
      ["b", status, body],
    ]),
  ]);
  await expect(gmail.messages(["a", "b"])).rejects.toMatchObject({ name });
});

test("takes a response without parts for failed, and a missing endpoint for broken", async () => {
  const { gmail } = clientOf([new Response("nothing"), new Response("", { status: 404 })]);
  expect(await gmail.messages(["a"])).toMatchObject({ found: [], gone: [], failed: ["a"] });
  await expect(gmail.messages(["a"])).rejects.toMatchObject({ name: "GmailBroken" });
});

test("replaces a token that a part refuses, once unless another part was read with it", async () => {
  const refused = (): Response => batch([["a", 401, {}]]);
  const partly = (): Response =>
    batch([
      ["a", 401, {}],
      ["b", 200, message("b")],
    ]);
  const { gmail, asked } = clientOf([partly, partly, refused]);
  for (let n = 0; n < 2; n++) expect(await gmail.messages(["a", "b"])).toMatchObject({ failed: ["a"] });
  await expect(gmail.messages(["a"])).rejects.toMatchObject({ name: "ReconnectNeeded" });
  expect(asked).toEqual([null, "token-1", "token-2"]);
});

test("replaces a token again after Gmail has answered with it", async () => {
  const refused = new Response("", { status: 401 });
  const { gmail } = clientOf([refused.clone(), Response.json(PROFILE), refused.clone(), Response.json(PROFILE)]);
  await gmail.profile();
  expect(await gmail.profile()).toEqual(PROFILE);
});

type Part = [id: string, status: number, body: object, header?: string];

function batch(parts: Part[]): Response {
  const text = parts.map(([id, status, body, header]) => {
    const http = `HTTP/1.1 ${status} Status\r\n${header ? `${header}\r\n` : ""}\r\n${JSON.stringify(body)}`;
    return `--b\r\nContent-Type: application/http\r\nContent-ID: <response-${id}>\r\n\r\n${http}\r\n`;
  });
  return new Response(`${text.join("")}--b--`, { headers: { "Content-Type": "multipart/mixed; boundary=b" } });
}

function message(id: string) {
  const headers = [{ name: "From", value: "Bo <bo@sender.example>" }];
  return { id, snippet: "Hello", internalDate: "5", payload: { headers } };
}

function pathsOf(sent: Sent[]): string[] {
  return sent.map(({ url }) => url.pathname + url.search);
}

/** A client whose requests get these answers in turn. `asked`: the refused token of each request for another. */
function clientOf(answers: (Response | (() => Response))[]) {
  const asked: (string | null)[] = [];
  const use = { units: 0, pauseMs: null as number | null };
  const sent = scriptedFetch(() => {
    const answer = answers.shift();
    if (!answer) throw new Error("one request too many");
    return typeof answer === "function" ? answer() : answer;
  });
  const gmail = new GmailClient({
    apiBase: "http://gmail.test",
    token: async (old) => {
      asked.push(old);
      return `token-${Number(old?.slice(6) ?? 0) + 1}`;
    },
    sleep: async () => {},
    random: () => 1,
    now: () => 0,
    patienceMs: 60_000,
    use,
  });
  return { gmail, sent, use, asked };
}
