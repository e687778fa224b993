import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import PostalMime from "postal-mime";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { users } from "#app/db/schema.server.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { DAY_MS } from "#app/time.ts";
import { mailSource } from "#tests/answer-mails/mail-source.ts";
import {
  ADA,
  addressFor,
  agentReplies,
  attached,
  conversation,
  deliver,
  inText,
  type Mail,
  mailOf,
  messagesOf,
  PNG,
  passed,
  pngOf,
  REPLY_DOMAIN,
  replyToOf,
  supportDb,
} from "#tests/workerd/answer-emails.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, roomOf, startChat, until } from "#tests/workerd/support-visitor.ts";

test("adds an answer to the address in the email about unread replies, and emails the next reply again", async () => {
  const { sessionId } = await newVisitor("Ada", ADA);
  const later = Date.now() + 10 * 60_000;
  await agentReplies(sessionId, "1");
  const first = await replyToOf(sessionId, later);
  expect(first).toMatch(/^[a-z2-7]{32}@reply\.growline\.example$/);
  expect(await deliver({ to: first.toUpperCase().replace(REPLY_DOMAIN.toUpperCase(), REPLY_DOMAIN) })).toBeNull();
  expect((await messagesOf(sessionId)).at(-1)).toMatchObject({
    sender_type: "user",
    sender_name: "Ada",
    message: "Order 4711",
  });
  await agentReplies(sessionId, "2");
  const second = await replyToOf(sessionId, later);
  expect(await deliver({ to: second, headers: { "Message-ID": "<2@visitor.example>" } })).toBeNull();
  expect(await messagesOf(sessionId)).toHaveLength(5);
});

test("emails what the team wrote after the email that was answered", async () => {
  const { sessionId } = await newVisitor("Ada", ADA);
  const later = Date.now() + 10 * 60_000;
  await agentReplies(sessionId, "1");
  const to = await replyToOf(sessionId, later);
  await agentReplies(sessionId, "2");
  expect(await deliver({ to })).toBeNull();
  // The room stores in D1 afterwards.
  await until(async () => (await replyToOf(sessionId, later)) !== "");
});

test("adds every typed line of a folded text below a quotation, as alpine sends it", async () => {
  const { sessionId, to } = await conversation();
  const type = { "Content-Type": "text/plain; charset=US-ASCII; format=flowed" };
  const plain = "> Have they arrived?\n> \nYes, all but one.\nPlease refill that one.\n";
  const head = Object.entries({ "Authentication-Results": passed(), From: ADA, ...type });
  const raw = new TextEncoder().encode(
    `${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${plain.replaceAll("\n", "\r\n")}`,
  );
  expect(await deliver({ to, raw })).toBeNull();
  expect((await messagesOf(sessionId)).at(-1)?.message).toBe("Yes, all but one.\nPlease refill that one.");
});

test("adds an email once, however often it is delivered", async () => {
  const { sessionId, to } = await conversation();
  await deliver({ to });
  const after = await messagesOf(sessionId);
  expect(await deliver({ to })).toBeNull();
  expect(await messagesOf(sessionId)).toEqual(after);
});

test("adds a long answer whole, in several messages, and refuses a longer one before it adds any of it", async () => {
  const { sessionId, to } = await conversation();
  const words = Array.from({ length: 3900 }, (_, at) => `w${at}${"x".repeat(at % 5)}`)
    .join(" ")
    .slice(0, 26_007);
  const auth = { "Authentication-Results": passed() };
  expect(await deliver({ to, raw: mailSource({ plain: words }, auth) })).toBeNull();
  const added = (await messagesOf(sessionId)).slice(1).map(({ message }) => message);
  expect(added.every((message) => message.length <= 4000)).toBe(true);
  expect(added.join(" ")).toBe(words);
  const headers = { ...auth, "Message-ID": "<longer@visitor.example>" };
  expect(await deliver({ to, raw: mailSource({ plain: words.repeat(2) }, headers) })).toContain("40,000 characters");
  expect(await deliver({ to, raw: mailSource({ plain: "> a\n".repeat(20_001) }, headers) })).toContain("40,000");
  expect(await messagesOf(sessionId)).toHaveLength(1 + added.length);
});

test("takes a reaction of Gmail and one of Outlook as its emoji", async () => {
  const { sessionId, to } = await conversation();
  const reaction = `--b\r\nContent-Type: text/vnd.google.email-reaction+json; charset="UTF-8"\r\n\r\n{ "emoji": "👍", "version": 1 }\r\n`;
  const raw = mailOf("alternative", "👍\r\n\r\nAda reacted via Gmail\r\n<https://mail.example>", [reaction]);
  expect(await deliver({ to, raw })).toBeNull();
  const plain = `[heart]  Ada reacted to your message:\n________________________________\nFrom: Growline <${env.EMAIL_FROM}>\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada <${ADA}>\nSubject: Growline support replied to you\n\nHi Ada\n`;
  const headers = { "Authentication-Results": passed(), "Message-ID": "<outlook@visitor.example>" };
  expect(await deliver({ to, raw: mailSource({ plain }, headers) })).toBeNull();
  expect((await messagesOf(sessionId)).slice(1).map(({ message }) => message)).toEqual(["👍", "❤️"]);
});

test("finds its own text in an answer that quotes it without marks, and keeps what is typed between", async () => {
  const { sessionId, to } = await conversation();
  await agentReplies(sessionId, "1");
  const plain = `See below\n\nLähettäjä: Growline <${env.EMAIL_FROM}>\nLähetetty: maanantai 23. marraskuuta 2026 9.05\nVastaanottaja: ${ADA}\nAihe: Growline support replied to you\n\nHi Ada, our support team replied while you were away:\n\nBo:\nWhich order?\n4711\n\nReply to this email, or continue the conversation in the browser you wrote from:\nhttps://growline.example/#support-chat\n`;
  expect(await deliver({ to, raw: mailSource({ plain }, { "Authentication-Results": passed() }) })).toBeNull();
  const answer = (await messagesOf(sessionId)).at(-1)?.message ?? "";
  expect(answer).toContain("See below");
  expect(answer).toContain("4711");
  expect(answer).not.toContain("Aihe");
});

test("takes a picture without a word as an answer, and emails the next reply again", async () => {
  const { sessionId } = await newVisitor("Ada", ADA);
  const later = Date.now() + 10 * 60_000;
  await agentReplies(sessionId, "1");
  const first = await replyToOf(sessionId, later);
  expect(await deliver({ to: first, raw: mailOf("related", "", [inText("shot.png", pngOf(1280, 720))]) })).toBeNull();
  expect((await messagesOf(sessionId)).at(-1)?.message).toBe("shot.png");
  await agentReplies(sessionId, "2");
  expect(await replyToOf(sessionId, later)).toMatch(/^[a-z2-7]{32}@/);
});

test("adds an answer to an account's conversation from its confirmed address of today only", async () => {
  const { userId, email, cookie } = await storedSignIn();
  const response = await startChat({ name: "Bea" }, cookie);
  const { session } = await response.json<{ session: SupportSession }>();
  const answer = { from: email, headers: { From: email, ...auth(passed("test.example")) } };
  const to = await addressFor(session.session_id, email);
  expect(await deliver({ to, ...answer })).toBeNull();
  expect((await messagesOf(session.session_id)).at(-1)).toMatchObject({ sender_type: "user", message: "Order 4711" });

  const before = await messagesOf(session.session_id);
  const again = { to, ...answer, headers: { ...answer.headers, "Message-ID": "<again@test.example>" } };
  for (const change of [{ email: `new-${email}` }, { email, emailConfirmedAt: null }]) {
    await connect(env.DB).update(users).set(change).where(eq(users.id, userId));
    expect(await deliver(again)).toEqual(UNKNOWN);
  }
  expect(await messagesOf(session.session_id)).toEqual(before);
  await connect(env.DB).update(users).set({ email, emailConfirmedAt: 1 }).where(eq(users.id, userId));
  expect(await deliver(again)).toBeNull();
});

for (const binding of ["DB", "DB_SUPPORT"] as const) {
  test(`throws while ${binding} fails, so that the mail server delivers again, and adds the email then`, async () => {
    const { sessionId, to } = await conversation();
    const before = await messagesOf(sessionId);
    const failing = { prepare: () => fail(), batch: () => fail() } as unknown as D1Database;
    await expect(deliver({ to }, { [binding]: failing })).rejects.toThrow();
    expect(await messagesOf(sessionId)).toEqual(before);
    expect(await deliver({ to })).toBeNull();
    expect(await messagesOf(sessionId)).toHaveLength(before.length + 1);
  });
}

for (const lost of ["call", "answer"] as const) {
  test(`adds each part of a long answer once, whichever ${lost} of its room is lost on the way`, async () => {
    const words = Array.from({ length: 2500 }, (_, at) => `w${at}`).join(" ");
    const mail = mailOf("mixed", words, [attached("shot.png", PNG)]);
    for (let dies = 1, isWhole = false; !isWhole; dies++) {
      const { sessionId, to } = await conversation();
      const SUPPORT_ROOM = dyingRooms(dies, lost);
      isWhole = await deliver({ to, raw: mail }, { SUPPORT_ROOM }).then(
        () => true,
        () => false,
      );
      // At least one call for each message, and the three around them.
      if (isWhole) expect(dies).toBeGreaterThan(7);
      else expect(await deliver({ to, raw: mail })).toBeNull();
      const added = (await messagesOf(sessionId)).slice(1).map(({ message }) => message);
      expect(added.slice(0, -1).join(" ")).toBe(words);
      expect(added.slice(-1)).toEqual(["shot.png"]);
      expect(added).toHaveLength(5);
    }
  });
}

const MOST_BYTES = atScale(2, 14) * 1024 * 1024;

test("parses only the header of a large email before it knows the sender", async () => {
  const { sessionId, to } = await conversation();
  const parsed = sizesParsed();
  for (const unit of ["--b\r\n", "\n", "a\n"]) {
    const head = `From: ${ADA}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
    expect(await deliver({ to, raw: filled(head, unit) })).toEqual(UNVERIFIED);
  }
  expect(parsed.sizes).toHaveLength(3);
  expect(Math.max(...parsed.sizes)).toBeLessThan(100);
  expect(await messagesOf(sessionId)).toHaveLength(1);
});

test("refuses a proven sender's email of the most parts, lines or header lines before it makes them", async () => {
  const { sessionId, to } = await conversation();
  const start = `Authentication-Results: ${passed()}\r\nFrom: ${ADA}\r\n`;
  const parsed = sizesParsed();
  for (const [head, unit] of [
    [`${start}Content-Type: multipart/mixed; boundary=b\r\n\r\n`, "--b\n"],
    [`${start}\r\n`, "\n"],
    [`${start}\r\n`, "a\n"],
    [start, "a:\n"],
  ] as const) {
    expect(await deliver({ to, raw: filled(head, unit) })).toContain("couldn't read");
  }
  expect(parsed.sizes).toHaveLength(3);
  expect(Math.max(...parsed.sizes)).toBeLessThan(1000);
  expect(await messagesOf(sessionId)).toHaveLength(1);
});

test("takes an email of many short lines, with dashes at the start of some", async () => {
  const { sessionId, to } = await conversation();
  const text = `See here\n\n> ${"-- line\n> ".repeat(1000)}${"--- a\n".repeat(5000)}`;
  const file = attached("shot.png", PNG).replace(/(?<=\r\n\r\n).*/, (content) => `${content}${"\r\n".repeat(100_000)}`);
  expect(await deliver({ to, raw: mailOf("mixed", text, [file]) })).toBeNull();
  expect((await messagesOf(sessionId)).map(({ message }) => message)).toContain("shot.png");
});

/** Returns the sizes of what is parsed until the test ends. */
function sizesParsed(): { sizes: number[] } {
  const sizes: number[] = [];
  const parse = PostalMime.parse;
  const spy = vi.spyOn(PostalMime, "parse").mockImplementation((raw, options) => {
    sizes.push((raw as Uint8Array).byteLength);
    return parse(raw, options);
  });
  onTestFinished(() => spy.mockRestore());
  return { sizes };
}

function filled(head: string, unit: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(head + unit.repeat(Math.floor(MOST_BYTES / unit.length)));
}

const UNKNOWN = expect.stringContaining("takes no answer from you");
const UNVERIFIED = expect.stringContaining("couldn't verify");
const auth = (value: string) => ({ "Authentication-Results": value });

type Case = [name: string, mail: (to: string) => Partial<Mail> | Promise<Partial<Mail>>, rejected: unknown];
const REFUSED: Case[] = [
  [
    "from another sender",
    () => ({ from: "eve@evil.example", headers: { From: "eve@evil.example", ...auth(passed("evil.example")) } }),
    UNKNOWN,
  ],
  ["from another customer", () => ({ from: "bob@visitor.example", headers: { From: "bob@visitor.example" } }), UNKNOWN],
  ["with two senders", () => ({ headers: { from: "eve@evil.example" } }), UNKNOWN],
  ["with failed authentication", () => ({ headers: auth(passed().replace("dmarc=pass", "dmarc=fail")) }), UNVERIFIED],
  ["with another domain's DMARC", () => ({ headers: auth(passed("evil.example")) }), UNVERIFIED],
  [
    "with another domain's signature",
    () => ({ headers: auth("mx.cloudflare.net; dmarc=none; dkim=pass header.d=evil.example") }),
    UNVERIFIED,
  ],
  ["with no authentication result", () => ({ headers: auth("") }), UNVERIFIED],
  [
    "with the result of another server",
    () => ({ headers: auth(passed().replace("mx.cloudflare.net", "mx.evil.example")) }),
    UNVERIFIED,
  ],
  ["with a second, forged result", () => ({ headers: { "authentication-results": passed() } }), UNVERIFIED],
  [
    "with a result in a comment",
    () => ({ headers: auth("mx.cloudflare.net; spf=none (; dmarc=pass header.from=visitor.example)") }),
    UNVERIFIED,
  ],
  ["with an envelope sender that hides a result", () => ({ from: '"); dmarc=pass"@evil.example' }), UNVERIFIED],
  ["of too many bytes", () => ({ rawSize: 16 * 1024 * 1024 }), expect.stringContaining("too large")],
  [
    "of more bytes than it says",
    () => ({ raw: new Uint8Array(16 * 1024 * 1024), rawSize: 10 }),
    expect.stringContaining("too large"),
  ],
  [
    "without an answer",
    () => ({ raw: mailSource({ plain: "-- \nAda" }, auth(passed())) }),
    expect.stringContaining("no answer"),
  ],
  ["to an unknown token", (to) => ({ to: to.replace(/^.{14}/, "a".repeat(14)) }), UNKNOWN],
  ["to a changed token", (to) => ({ to: to.replace(/.@/, (end) => (end === "a@" ? "b@" : "a@")) }), UNKNOWN],
  ["to no token", () => ({ to: `support@${REPLY_DOMAIN}` }), UNKNOWN],
  ["to another domain", (to) => ({ to: to.replace(REPLY_DOMAIN, "growline.example") }), UNKNOWN],
  ["that is a vacation notice", () => ({ headers: { "Auto-Submitted": "auto-replied" } }), null],
  ["that is a bounce", () => ({ from: "" }), null],
  ["that is a report", () => ({ headers: { "Content-Type": "multipart/report; boundary=x" } }), null],
  ["that is bulk", () => ({ headers: { Precedence: "bulk" } }), null],
  ["that comes from our own address", () => ({ from: "no-reply@growline.example" }), null],
];

let refusing: ReturnType<typeof conversation> | undefined;

for (const [name, change, rejected] of REFUSED) {
  test(`changes nothing for an email ${name}`, async () => {
    refusing ??= conversation();
    const { sessionId, to } = await refusing;
    const before = await messagesOf(sessionId);
    expect(await deliver({ to, ...(await change(to)) })).toEqual(rejected);
    expect(await messagesOf(sessionId)).toEqual(before);
  });
}

test("refuses expired tokens, deleted conversations, blocked visitors and changed addresses", async () => {
  const expired = await conversation(Date.now() - 32 * DAY_MS);
  expect(await deliver(expired)).toEqual(UNKNOWN);
  const changed = await conversation();
  await supportDb
    .update(supportSessions)
    .set({ userEmail: "new@visitor.example" })
    .where(eq(supportSessions.sessionId, changed.sessionId));
  expect(await deliver(changed)).toEqual(UNKNOWN);
  const blocked = await conversation();
  await roomOf(blocked.sessionId).applyAction({ id: "agent-1", name: "Bo" }, { action: "block", blocked: true });
  expect(await deliver(blocked)).toContain("can't send messages");
  const deleted = await conversation();
  await roomOf(deleted.sessionId).deleteConversation(deleted.sessionId);
  expect(await deliver(deleted)).toEqual(UNKNOWN);
});

test("limits the emails of a conversation, and counts one that is delivered again once", async () => {
  const { to } = await conversation();
  const outcomes: (string | null)[] = [];
  for (const at of [0, 0, 0, ...Array(20).keys(), 20, 0])
    outcomes.push(await deliver({ to, headers: { "Message-ID": `<${at}@visitor.example>` } }));
  expect(outcomes.slice(0, 23)).toEqual(Array(23).fill(null));
  expect(outcomes[23]).toContain("Too many emails");
  expect(outcomes[24]).toBeNull();
});

function fail(): never {
  throw new Error("query refused");
}

/** Returns rooms whose call number `dies` fails, before it arrives or after it was carried out. */
function dyingRooms(dies: number, lost: "call" | "answer"): Env["SUPPORT_ROOM"] {
  let calls = 0;
  const dying = (room: object) =>
    new Proxy(room, {
      get:
        (_, name) =>
        async (...given: unknown[]) => {
          calls++;
          if (calls === dies && lost === "call") fail();
          const result = await Reflect.get(room, name)(...given);
          if (calls === dies) fail();
          return result;
        },
    });
  return { getByName: (name: string) => dying(env.SUPPORT_ROOM.getByName(name)) } as unknown as Env["SUPPORT_ROOM"];
}
