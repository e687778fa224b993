import { expect, test } from "vitest";
import { parseOauthMessage } from "#app/gmail/connect/oauth-messages.ts";
import { connectFaultText } from "#app/gmail/connect/oauth-texts.ts";
import { decodeEntities } from "#app/http/html-entities.ts";
import { boundaryOf, encodeBatch, parseBatch } from "./gmail-batch.ts";
import { foldHistory, historyPage } from "./gmail-history.server.ts";
import { parseMessage } from "./gmail-message.server.ts";
import { QuotaBudget } from "./gmail-quota.ts";
import { classifyResponse, projectPauseMs, retryAfterMs, waitMs } from "./gmail-retry.ts";

test("encodes a batch with an id per part and a closing boundary", () => {
  const text = encodeBatch([{ id: "m1", path: "/gmail/v1/users/me/messages/m1" }], "b");
  expect(text).toBe(
    "--b\r\nContent-Type: application/http\r\nContent-ID: <m1>\r\n\r\nGET /gmail/v1/users/me/messages/m1 HTTP/1.1\r\nAccept: application/json\r\n\r\n--b--\r\n",
  );
});

test("matches batch responses by id, whatever their order, line endings and headers", () => {
  const part = (id: string, status: string, body: string, headers = "") =>
    `--b\r\nContent-Type: application/http\r\ncontent-id: <response-${id}>\r\n\r\nHTTP/1.1 ${status}\r\n${headers}Content-Type: application/json\r\n\r\n${body}\r\n`;
  const text = `preamble\r\n${part("m2", "429 Too Many Requests", "{}", "Retry-After: 3\r\n")}${part("m1", "200 OK", '{"id":"m1"}')}--b--`;
  const responses = parseBatch(text, "b");
  expect(responses.map(({ id, status }) => [id, status])).toEqual([
    ["m2", 429],
    ["m1", 200],
  ]);
  expect(responses[0]?.headers["retry-after"]).toBe("3");
  expect(responses[1]?.body).toEqual({ id: "m1" });
  expect(parseBatch(text.replaceAll("\r\n", "\n"), "b")).toEqual(responses);
});

test("leaves out parts that are truncated or have no id or no JSON", () => {
  const head = "Content-Type: application/http\r\nContent-ID: <response-m1>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
  expect(parseBatch(`--b\r\n${head}{"id":"m1"}`, "b")).toEqual([]);
  expect(parseBatch(`--b\r\n${head}{"id":\r\n--b--`, "b")).toEqual([]);
  expect(parseBatch("--b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}\r\n--b--", "b")).toEqual([]);
  expect(parseBatch("", "b")).toEqual([]);
});

test("reads headers without a space, and leaves out lines that are none", () => {
  const outer = "--b\r\nContent-ID:<response-m1>\r\n\r\n";
  const [response] = parseBatch(
    `${outer}HTTP/1.1 503 Away\r\nRetry-After:3\r\nno header\r\n: nor this\r\n\r\n\r\n--b--`,
    "b",
  );
  expect(response).toEqual({ id: "m1", status: 503, headers: { "retry-after": "3" }, body: null });
});

test("matches no part whose id is not one of a response", () => {
  const part = (id: string, status = "200") =>
    `--b\r\nContent-ID: ${id}\r\n\r\nHTTP/1.1 ${status} OK\r\n\r\n{}\r\n--b--`;
  expect(parseBatch(part("<response-m1>"), "b")).toHaveLength(1);
  for (const id of ["<m1>", "response-m1", "<m1-response->"]) expect(parseBatch(part(id), "b")).toEqual([]);
  expect(parseBatch(part("<response-m1>", "OK"), "b")).toEqual([]);
});

test("reads the boundary with and without quotes", () => {
  expect(boundaryOf('multipart/mixed; boundary="a b"')).toBe("a b");
  expect(boundaryOf("multipart/mixed; charset=utf-8; boundary=batch_x")).toBe("batch_x");
  expect(boundaryOf("application/json")).toBeNull();
  expect(boundaryOf(null)).toBeNull();
});

test("maps each error from Gmail to its verdict", () => {
  const verdict = (status: number, reason?: string, retryAfter?: string) => {
    const headers = new Headers(retryAfter ? { "Retry-After": retryAfter } : {});
    return classifyResponse(status, headers, { error: { errors: [{ reason }] } }, 0);
  };
  expect(verdict(200)).toEqual({ kind: "ok" });
  expect(verdict(401)).toEqual({ kind: "unauthorized" });
  expect(verdict(403, "rateLimitExceeded")).toEqual({ kind: "retry", afterMs: null, crowded: true });
  expect(verdict(403, "dailyLimitExceeded")).toEqual({ kind: "exhausted" });
  expect(verdict(403, "insufficientPermissions")).toEqual({ kind: "forbidden" });
  expect(verdict(403, "accessNotConfigured")).toEqual({ kind: "broken" });
  expect(verdict(404)).toEqual({ kind: "gone" });
  expect(verdict(429, "rateLimitExceeded", "2")).toEqual({ kind: "retry", afterMs: 2000, crowded: true });
  expect(verdict(429, "dailyLimitExceeded")).toEqual({ kind: "exhausted" });
  expect([verdict(299).kind, verdict(300).kind]).toEqual(["ok", "broken"]);
  expect([verdict(410).kind, verdict(408).kind]).toEqual(["gone", "retry"]);
  expect(verdict(503)).toEqual({ kind: "retry", afterMs: null, crowded: false });
  expect(verdict(400)).toEqual({ kind: "broken" });
  expect(classifyResponse(500, new Headers(), "<html>", 0)).toMatchObject({ kind: "retry" });
  const several = {
    error: { errors: [{}, null, { reason: 5 }, { reason: "other" }], details: [{ reason: "rateLimitExceeded" }] },
  };
  expect(classifyResponse(403, new Headers(), several, 0)).toMatchObject({ kind: "retry" });
  expect(classifyResponse(403, new Headers(), { error: null }, 0)).toEqual({ kind: "forbidden" });
});

test("tells a used-up quota of the project from the limit of one mailbox", () => {
  const pause = (status: number, reason: string, message = "", retryAfter?: string) => {
    const headers = new Headers(retryAfter ? { "Retry-After": retryAfter } : {});
    return projectPauseMs(status, headers, { error: { message, errors: [{ reason }] } }, 0);
  };
  expect(pause(403, "rateLimitExceeded")).toBe(60_000);
  expect(pause(429, "rateLimitExceeded", "Queries per minute", "90")).toBe(90_000);
  expect(pause(403, "dailyLimitExceeded")).toBe(60 * 60_000);
  expect(pause(429, "rateLimitExceeded", "User-rate limit exceeded. Retry after …", "90")).toBeNull();
  expect(pause(403, "rateLimitExceeded", "limit 'Queries per minute per user' of service")).toBeNull();
  expect(pause(403, "userRateLimitExceeded")).toBeNull();
  expect(pause(503, "backendError")).toBeNull();
  expect(pause(503, "rateLimitExceeded")).toBeNull();
  expect(pause(429, "rateLimitExceeded", "", "7200")).toBe(60 * 60_000);
  const several = { error: { errors: [{ reason: "other" }, { reason: "quotaExceeded" }] } };
  expect(projectPauseMs(403, new Headers(), several, 0)).toBe(60 * 60_000);
});

test("lets no sync start while the budget is overdrawn", () => {
  const budget = new QuotaBudget(6000, 0);
  budget.spend(5999);
  expect(budget.waitMs(0)).toBe(0);
  budget.spend(101);
  expect(budget.waitMs(0)).toBe(1001);
  expect(budget.waitMs(1001)).toBe(0);
  budget.spend(1);
  // Time unused does not add up beyond a minute's budget.
  expect(budget.waitMs(600_000)).toBe(0);
  budget.spend(12_000);
  expect(budget.waitMs(600_000)).toBe(60_001);
});

test("waits a moment longer than a budget that is used up exactly, or in part of a millisecond", () => {
  const budget = new QuotaBudget(7000, 0);
  budget.spend(7000);
  expect(budget.waitMs(0)).toBe(1);
  budget.spend(1);
  expect(budget.waitMs(0)).toBe(10);
});

test("doubles waits up to a limit, adds jitter, and never waits less than Google asks", () => {
  expect([1, 2, 3, 4].map((tries) => waitMs(tries, null, () => 1))).toEqual([500, 1000, 2000, 4000]);
  expect(waitMs(1, null, () => 0)).toBe(250);
  expect(waitMs(40, null, () => 1)).toBe(16_000);
  expect(waitMs(1, 7000, () => 0)).toBe(7000);
  expect(retryAfterMs("3", 0)).toBe(3000);
  expect(retryAfterMs("Thu, 01 Jan 1970 00:01:00 GMT", 10_000)).toBe(50_000);
  expect(retryAfterMs("Thu, 01 Jan 1970 00:00:00 GMT", 10_000)).toBe(0);
  expect(retryAfterMs("soon", 0)).toBeNull();
  expect(retryAfterMs(null, 0)).toBeNull();
});

test("decodes HTML entities in snippets", () => {
  expect(decodeEntities("Tom &amp; Ana&#39;s &lt;b&gt; &#x1F600; &unknown; &amp;lt;")).toBe(
    "Tom & Ana's <b> 😀 &unknown; &lt;",
  );
  // The last code point that there is, and the number after it.
  expect(decodeEntities("&#x10FFFF; &#1114112;")).toBe("\u{10FFFF} &#1114112;");
  expect(decodeEntities("&nope; &AMP;")).toBe("&nope; &");
  expect(decodeEntities("&valueOf; &__proto;")).toBe("&valueOf; &__proto;");
});

test("parses messages in the documented format and rejects others", () => {
  const message = {
    id: "m1",
    labelIds: ["INBOX"],
    snippet: "Hello",
    internalDate: "1795243040457",
    payload: { headers: [{ name: "FROM", value: "A <a@x.example>" }] },
  };
  expect(parseMessage(message)).toEqual({
    id: "m1",
    fromEmail: "a@x.example",
    fromName: "A",
    subject: "",
    snippet: "Hello",
    internalDate: 1795243040457,
  });
  const posing = { headers: [{ name: "From", value: "=?utf-8?Q?A=E2=80=AEda=0A?= <a@x.example>" }] };
  expect(parseMessage({ ...message, payload: posing })).toMatchObject({ fromName: "Ada" });
  for (const labelIds of [["TRASH"], ["DRAFT"], ["SENT"], ["SENT", "SPAM", "INBOX"]]) {
    expect(parseMessage({ ...message, labelIds })).toBe("hidden");
  }
  // Sent to oneself, and archived.
  for (const labelIds of [["SENT", "INBOX"], []])
    expect(parseMessage({ ...message, labelIds })).toMatchObject({ id: "m1" });
  // A mailbox may hold mails with impossible dates: one of them must not stop the sync of the others.
  expect(parseMessage({ ...message, internalDate: "-62135596800000" })).toMatchObject({
    internalDate: -62135596800000,
  });
  for (const internalDate of ["yesterday", "9".repeat(16), 5, null, undefined]) {
    expect(parseMessage({ ...message, internalDate })).toMatchObject({ id: "m1", internalDate: 0 });
  }
  expect(parseMessage({ ...message, snippet: null, payload: { headers: [{ name: "From" }] } })).toMatchObject({
    id: "m1",
    fromEmail: "",
    snippet: "",
  });
  expect(parseMessage({ error: {} })).toBeNull();
  const long = (length: number) => parseMessage({ ...message, snippet: "x".repeat(length) });
  expect(long(1000)).toMatchObject({ snippet: "x".repeat(1000) });
  expect(long(1001)).toMatchObject({ snippet: `${"x".repeat(999)}…` });
});

test("keeps the last of several changes to one message", () => {
  const of = (id: string, labelIds: string[] = []) => ({ message: { id }, labelIds });
  const page = historyPage.parse({
    historyId: "18446744073709551615",
    history: [
      { messagesAdded: [of("a"), of("b"), of("c"), of("d")] },
      {
        messagesDeleted: [of("a")],
        labelsAdded: [of("b", ["SPAM"]), of("c", ["STARRED"]), of("d", ["STARRED", "TRASH"])],
      },
      { labelsRemoved: [of("b", ["SPAM"]), of("e", ["STARRED"]), of("a", ["STARRED"])] },
    ],
  });
  expect(foldHistory([page])).toMatchObject({ added: ["b", "c"], removed: ["a", "d"] });
  expect(page.historyId).toBe("18446744073709551615");
});

test("counts how much the mailbox grew: each message once, trash included", () => {
  const of = (id: string, labelIds: string[] = []) => ({ message: { id }, labelIds });
  const grown = (history: object[]) => foldHistory([historyPage.parse({ historyId: "7", history })]).growth;
  expect(grown([])).toBe(0);
  expect(grown([{ messagesAdded: [of("a"), of("b")] }, { messagesAdded: [of("a")] }])).toBe(2);
  expect(grown([{ messagesAdded: [of("a")] }, { messagesDeleted: [of("a"), of("b"), of("c")] }])).toBe(-2);
  expect(grown([{ labelsAdded: [of("a", ["TRASH"])] }, { labelsRemoved: [of("b", ["SPAM"])] }])).toBe(0);
});

test("accepts only our own window messages and replaces their text", () => {
  const forged = { type: "GMAIL_OAUTH_ERROR", fault: "denied", error: "Send your password to evil.example" };
  expect(parseOauthMessage(forged)).toEqual({ ...forged, error: connectFaultText("denied") });
  for (const fault of ["toString", undefined, 7]) {
    expect(
      parseOauthMessage({ type: "GMAIL_OAUTH_ERROR", fault, error: "Send your password to evil.example" }),
    ).toEqual({
      type: "GMAIL_OAUTH_ERROR",
      fault: "failed",
      error: "Failed to connect Gmail account.",
    });
  }
  expect(connectFaultText("denied")).toBe("You didn't allow access at Google, so nothing was connected.");
  expect(parseOauthMessage({ type: "SOMETHING" })).toBeNull();
  expect(parseOauthMessage("GMAIL_OAUTH_SUCCESS")).toBeNull();
});
