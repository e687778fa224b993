import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { suppress } from "#app/email/suppressions.server.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { mailSource } from "#tests/answer-mails/mail-source.ts";
import {
  addressFor,
  attached,
  conversation,
  deliver,
  HEIC,
  inText,
  mailOf,
  messagesOf,
  PNG,
  passed,
  pngOf,
} from "#tests/workerd/answer-emails.ts";
import { emailsTo, sendQueued, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { startChat } from "#tests/workerd/support-visitor.ts";

const quiet = withoutDispatcher(env);

test("takes the pictures and PDFs of an email, and emails the names of the other files to its sender, once", async () => {
  const { sessionId, to, from } = await newConversation();
  const files = [attached("shot.exe", PNG), attached("IMG_0001.HEIC", HEIC), attached("run.exe", HEIC)];
  const mail = { to, from, raw: mailOf("mixed", "See here", files, from) };
  expect(await deliver(mail, quiet)).toBeNull();
  const [text, file, ...more] = (await messagesOf(sessionId)).slice(1);
  expect([text?.message, file?.message, more]).toEqual(["See here", "shot.png", []]);
  expect(await env.UPLOADS.head(`support/${file?.file?.id}`)).toMatchObject({ size: PNG.length });
  const [email, ...others] = await emailsTo(from);
  expect([email?.kind, email?.status, email?.userId, others]).toEqual(["files_not_taken", "queued", null, []]);
  const content = await openContent(env, email?.id ?? "", email?.sealedContent ?? "");
  expect(content).toMatchObject({ replyTo: to, headers: { "Auto-Submitted": "auto-replied" } });
  for (const body of [content.text, content.html]) {
    expect(body).toContain("Your answer is in the chat, without IMG_0001.HEIC and run.exe.");
    expect(body).toContain("JPEG, PNG, GIF, WebP and PDF files of up to 10 MB, five in an email");
    expect(body).toContain("Don't send the rest again.");
  }
  expect(await deliver(mail, quiet)).toBeNull();
  expect(await messagesOf(sessionId)).toHaveLength(3);
  expect(await emailsTo(from)).toEqual([email]);
});

test("emails the names again only for another email", async () => {
  const { to, from } = await newConversation();
  const first = mailOf("mixed", "See here", [attached("a.heic", HEIC)], from);
  const second = new TextEncoder().encode(new TextDecoder().decode(first).replace("<f@", "<g@"));
  for (const raw of [first, second, first]) expect(await deliver({ to, from, raw }, quiet)).toBeNull();
  expect(await emailsTo(from)).toHaveLength(2);
});

test("emails them to an account at its confirmed address, in its own records", async () => {
  const { userId, email, cookie } = await storedSignIn();
  const response = await startChat({ name: "Bea" }, cookie);
  const { session } = await response.json<{ session: SupportSession }>();
  const to = await addressFor(session.session_id, email);
  const raw = mailOf("mixed", "See here", [attached("a.heic", HEIC)], email);
  const proof = new TextDecoder().decode(raw).replaceAll("visitor.example", "test.example");
  expect(await deliver({ to, from: email, raw: new TextEncoder().encode(proof) }, quiet)).toBeNull();
  const queued = (await emailsTo(email)).filter(({ kind }) => kind === "files_not_taken");
  expect(queued).toMatchObject([{ userId, recipient: email }]);
});

test("emails nobody for a sender who isn't proven, and none to a suppressed address", async () => {
  const { sessionId, to, from } = await newConversation();
  const raw = mailOf("mixed", "See here", [attached("a.heic", HEIC)], from);
  const forged = new TextEncoder().encode(new TextDecoder().decode(raw).replace("dmarc=pass", "dmarc=fail"));
  expect(await deliver({ to, from, raw: forged }, quiet)).toContain("couldn't verify");
  expect([await emailsTo(from), (await messagesOf(sessionId)).length]).toEqual([[], 1]);
  await suppress(connect(env.DB), { address: from, reason: "complained", detail: null, at: Date.now() });
  expect(await deliver({ to, from, raw }, quiet)).toBeNull();
  await sendQueued();
  expect(await emailsTo(from)).toMatchObject([{ status: "suppressed" }]);
});

test("accepts an email whose notice can't be queued only when it is delivered again", async () => {
  const { sessionId, to, from } = await newConversation();
  const mail = { to, from, raw: mailOf("mixed", "See here", [attached("a.heic", HEIC)], from) };
  await expect(deliver(mail, { ...quiet, ENCRYPTION_KEYS: "" })).rejects.toThrow();
  expect(await deliver(mail, quiet)).toBeNull();
  expect([await emailsTo(from), await messagesOf(sessionId)]).toMatchObject([[{ status: "queued" }], [{}, {}]]);
});

test("names many files briefly, and takes an answer to the notice without its text", async () => {
  const { sessionId, to, from } = await newConversation();
  const files = Array.from({ length: 30 }, (_, at) =>
    attached(`${"x".repeat(at === 1 ? 100_000 : 0)}фото ${at}.heic`, HEIC),
  );
  const encoded = new TextEncoder().encode(new TextDecoder().decode(mailOf("mixed", "See here", files, from)));
  expect(await deliver({ to, from, raw: encoded }, quiet)).toBeNull();
  const [email] = await emailsTo(from);
  const { text, subject } = await openContent(env, email?.id ?? "", email?.sealedContent ?? "");
  expect(text).toMatch(/without фото 0\.heic, x{109}фото 1\.heic, фото 2\.heic, /);
  expect(text).toContain("фото 9.heic, and 20 more.");
  const quoted = text.replaceAll(/^/gm, "> ");
  const plain = `Here it is as a JPEG\n\nOn Sun, Nov 29, 2026 at 9:05 AM Growline <${env.EMAIL_FROM}> wrote:\n\n${quoted}\n`;
  const head = { "Authentication-Results": passed(), From: from, Subject: `Re: ${subject}` };
  expect(await deliver({ to, from, raw: mailSource({ plain }, head) }, quiet)).toBeNull();
  expect((await messagesOf(sessionId)).at(-1)?.message).toBe("Here it is as a JPEG");
});

test("refuses an email of which it can take nothing, and says nothing of signatures and cards", async () => {
  const { sessionId, to, from } = await newConversation();
  const photo = inText("фото.heic", HEIC).replace("image/png", "image/heic");
  const raw = mailOf("related", "", [photo], from);
  expect(await deliver({ to, from, raw }, quiet)).toMatch(/^We can't take \?{4}\.heic\. /);
  expect(await messagesOf(sessionId)).toHaveLength(1);
  const card = attached("ada.vcf", HEIC);
  const signature = attached("s", HEIC).replace("application/octet-stream", "application/pkcs7-signature");
  expect(await deliver({ to, from, raw: mailOf("mixed", "See here", [card, signature], from) }, quiet)).toBeNull();
  expect(await emailsTo(from)).toEqual([]);
});

test("takes a screenshot from inside the text, and no logo, pixel or file that isn't an image", async () => {
  const { sessionId, to } = await conversation();
  const files = [
    inText("pixel.gif", pngOf(1, 1)),
    inText("logo.png", pngOf(300, 90)),
    inText("shot.png", pngOf(1280, 720)),
    inText("terms.pdf", new TextEncoder().encode("%PDF-1.7 terms")),
  ];
  expect(await deliver({ to, raw: mailOf("related", "See here", files) })).toBeNull();
  expect((await messagesOf(sessionId)).slice(1).map(({ message }) => message)).toEqual(["See here", "shot.png"]);
});

test("takes attached files before pictures inside the text, five in all", async () => {
  const { sessionId, to } = await conversation();
  const many = [1, 2, 3, 4, 5].map((number) => inText(`banner${number}.png`, pngOf(600, 200)));
  const inner = `--b\r\nContent-Type: multipart/related; boundary=c\r\n\r\n${many.join("").replaceAll("--b", "--c")}--c--\r\n`;
  expect(await deliver({ to, raw: mailOf("mixed", "See here", [inner, attached("invoice.png", PNG)]) })).toBeNull();
  const names = (await messagesOf(sessionId)).slice(2).map(({ message }) => message);
  expect(names).toEqual(["invoice.png", "banner1.png", "banner2.png", "banner3.png", "banner4.png"]);
});

/** Starts a conversation with an address that has received no email yet. */
async function newConversation() {
  const from = `ada-${crypto.randomUUID()}@visitor.example`;
  return { ...(await conversation(Date.now(), from)), from };
}
