import { eq } from "drizzle-orm";
import PostalMime, { type Email } from "postal-mime";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { readConfirmedEmail } from "#app/email/confirmed-email.server.ts";
import { makeEmail, queueEmail, wakeEmailDispatcher } from "#app/email/queue-email.server.ts";
import { emailKey } from "#app/email-address.ts";
import { cleanMessage, isBlank } from "#app/http/clean-text.ts";
import { log, runLogged } from "#app/http/log.ts";
import { hasMore } from "#app/http/requests/counted-form.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { answerText, isTooLong } from "#app/support/email/answer/answer-text.ts";
import { headOf } from "#app/support/email/answer/email-head.ts";
import { outlookReactionOf, REACTION_TYPE, reactionOf } from "#app/support/email/answer/email-reaction.ts";
import { declareFixed, unfold } from "#app/support/email/answer/flowed-text.ts";
import { messageParts } from "#app/support/email/answer/message-parts.ts";
import { isSenderVerified } from "#app/support/email/answer/sender-check.ts";
import type { SentEmail } from "#app/support/email/answer/sent-text.ts";
import { FILE_LIMITS, filesNotTakenEmail, listed } from "#app/support/email/files-not-taken-email.ts";
import { isReplyTokenFor, type ReplyToken, readReplyToken } from "#app/support/email/reply-token.server.ts";
import { unreadReplyEmail } from "#app/support/email/unread-reply-email.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { userIdOf } from "#app/support/protocol/session-id.ts";
import { fileKey } from "#app/support/room/room-files.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { filesOf } from "./email-files.ts";

/** One file of the largest size in base64, and the answer with its quotation. */
const EMAIL_MAX_BYTES = 15 * 1024 * 1024;
/** The largest email in the shortest lines that mail programs write for files. */
const LINES_MAX = 400_000;
/** Lines that may start a part, which begin with "--". Text has some, too. */
const PART_LINES_MAX = 10_000;
/** Of all parts together. */
const HEADERS_MAX_BYTES = 256 * 1024;
/** An answer in several messages is still one that a person wrote. */
const MESSAGES_MAX = 10;
/** Of the team, whose text may be quoted. An email has those of three days at most. */
const MESSAGES_READ = 100;
/** The number of the first file in the client ids of an email. Its texts have lower ones. */
const FIRST_FILE = 100;
/** The answer of a mail server is one line. */
const NAMES_IN_REJECTION = 3;
const ANSWERS_PER_HOUR = 20;
const MIME_DEPTH_MAX = 20;

/** What the sender's mail server is told. One text for every token, so that nobody learns which ones exist. */
const REJECTED = {
  unknown: "This address takes no answer from you. Write from the address our email went to, or in the chat.",
  unverified: "We couldn't verify the sender of this email. Answer in the chat instead.",
  too_large: "This email is too large. Send files of up to 10 MB in the chat.",
  unreadable: "We couldn't read this email. Answer in the chat instead.",
  empty: "We found no answer in this email. Write it above the quoted text, or in the chat.",
  too_long: "This email has more text than we read, or an answer of over 40,000 characters. Send several, or a PDF.",
  blocked: "You can't send messages in this conversation.",
  gone: "This conversation has ended. Start another one in the chat.",
  rate_limited: "Too many emails. Send this one again in an hour, or write in the chat.",
} as const;

type Conversation = { sessionId: string; address: string };
/** `refused`: the names of the files of an email that has nothing else. */
type Outcome = keyof typeof REJECTED | "added" | "added_without_files" | "dropped" | { refused: string[] };
type AnswerEnv = Pick<
  Env,
  | "DB"
  | "DB_SUPPORT"
  | "SUPPORT_ROOM"
  | "UPLOADS"
  | "SESSION_SECRET"
  | "REPLY_DOMAIN"
  | "EMAIL_FROM"
  | "PUBLIC_ORIGIN"
  | "ENCRYPTION_KEYS"
  | "EMAIL_DISPATCHER"
>;

/**
 * Adds an answer by email to its conversation. A rejection is told to the mail server that delivers it, before the email is
 * accepted, so that no email of ours goes to a forged sender. What a program sent is dropped: an answer to it may make a
 * loop. If a database fails this throws, and the mail server delivers the email again. If something was added, the email is
 * accepted, and the proven sender gets one of ours about the files that weren't: a rejection reads as "not delivered".
 */
export async function receiveAnswer(message: ForwardableEmailMessage, env: AnswerEnv): Promise<void> {
  const outcome = await takeAnswer(message, env);
  const isRefused = typeof outcome === "object";
  log("info", "email received", { outcome: isRefused ? "files_refused" : outcome, size: message.rawSize });
  if (isRefused) message.setReject(filesRefused(outcome.refused));
  else if (outcome !== "added" && outcome !== "added_without_files" && outcome !== "dropped")
    message.setReject(REJECTED[outcome]);
}

/** What is said of an email of nothing but files that the chat doesn't take. The answers of mail servers are in ASCII. */
function filesRefused(names: string[]): string {
  const ascii = names.map((name) => name.replaceAll(/[^ -~]/g, "?").slice(-60));
  return `We can't take ${listed(ascii, NAMES_IN_REJECTION)}. ${FILE_LIMITS}`;
}

async function takeAnswer(message: ForwardableEmailMessage, env: AnswerEnv): Promise<Outcome> {
  if (isAutomatic(message)) return "dropped";
  const [local = "", domain = ""] = message.to.split("@", 2);
  const token = env.REPLY_DOMAIN && domain.toLowerCase() === env.REPLY_DOMAIN ? readReplyToken(local) : null;
  const conversation = token && (await findConversation(env, token, Date.now()));
  if (!conversation) return "unknown";
  if (message.rawSize > EMAIL_MAX_BYTES) return "too_large";
  const raw = await readAtMost(new Response(message.raw), EMAIL_MAX_BYTES);
  if (!raw) return "too_large";
  // The proof of the sender stands in the first lines. The rest costs a multiple of its bytes, by line and by part.
  const head = headOf(raw);
  const sent = head && (await parse(head));
  if (!sent) return "unreadable";
  const isFrom = (address: string | undefined) =>
    address !== undefined && emailKey(address) === emailKey(conversation.address);
  const senders = sent.headers.filter(({ key }) => key === "from");
  if (senders.length !== 1 || !isFrom(sent.from?.address)) return "unknown";
  if (!isSenderVerified(sent.headers, conversation.address, message.from)) return "unverified";
  const isHuge = hasMore(raw, "\n", LINES_MAX) || hasMore(raw, "\n--", PART_LINES_MAX);
  const flow = isHuge ? null : declareFixed(raw);
  const email = isHuge ? null : await parse(raw);
  if (!email) return "unreadable";
  if (isTooLong(email)) return "too_long";
  const text = flow && email.text !== undefined ? unfold(email.text, flow) : email.text;
  const digest = sha256(email.messageId ?? new TextDecoder().decode(raw));
  return addToConversation(env, { ...conversation, to: message.to }, { ...email, text }, digest);
}

/** Returns whether a program sent it: a bounce, a vacation notice, a mailing list. See RFC 3834. */
function isAutomatic({ from, headers }: ForwardableEmailMessage): boolean {
  const submitted = headers.get("Auto-Submitted") ?? "no";
  return (
    from === "" ||
    from === "<>" ||
    /^(?:mailer-daemon|postmaster|no-?reply)@/i.test(from) ||
    submitted.trim().toLowerCase() !== "no" ||
    /^\s*(?:bulk|junk|list|auto_reply)/i.test(headers.get("Precedence") ?? "") ||
    /^\s*multipart\/report/i.test(headers.get("Content-Type") ?? "") ||
    ["List-Id", "X-Autoreply", "X-Autorespond", "X-Failed-Recipients"].some((name) => headers.has(name))
  );
}

/** Returns the conversation and the only address that may answer, or null if the token is not valid for both. */
async function findConversation(env: AnswerEnv, token: ReplyToken, now: number): Promise<Conversation | null> {
  const [row] = await connectSupport(env.DB_SUPPORT)
    .select({ sessionId: supportSessions.sessionId, userEmail: supportSessions.userEmail })
    .from(supportSessions)
    .where(eq(supportSessions.id, token.rowId))
    .limit(1);
  if (!row) return null;
  const { sessionId } = row;
  const userId = userIdOf(sessionId);
  // The address of today: somebody who has changed it may have lost the old mailbox.
  const address = userId === null ? row.userEmail : await readConfirmedEmail(connect(env.DB), userId);
  if (address === null) return null;
  const isValid = isReplyTokenFor(env.SESSION_SECRET, token, { rowId: token.rowId, sessionId, address }, now);
  return isValid ? { sessionId, address } : null;
}

async function parse(raw: Uint8Array): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, {
      maxNestingDepth: MIME_DEPTH_MAX,
      maxHeadersSize: HEADERS_MAX_BYTES,
      forceRfc822Attachments: true,
    });
  } catch {
    return null;
  }
}

/** Returns what we know of the emails about this conversation. */
async function sentEmailOf(
  env: AnswerEnv,
  { sessionId, address, to }: Conversation & { to: string },
): Promise<SentEmail | null> {
  const history = await env.SUPPORT_ROOM.getByName(sessionId).read(0, { last: MESSAGES_READ });
  if (!history) return null;
  const unread = history.messages.filter(({ sender_type }) => sender_type === "admin");
  const isAccount = userIdOf(sessionId) !== null;
  const { text, subject } = unreadReplyEmail({
    email: address,
    name: history.session.user_name,
    origin: env.PUBLIC_ORIGIN ?? "",
    unread,
    isAccount,
    takesAnswers: true,
  });
  return { text, subject, name: PRODUCT_NAME, addresses: [env.EMAIL_FROM, to], recipient: address };
}

/** Returns the emoji of a reaction, which Gmail and Outlook send as an email with a quotation, or what was typed. */
async function bodyOf(env: AnswerEnv, conversation: Conversation & { to: string }, email: Email): Promise<string> {
  const reaction = email.attachments.find(({ mimeType }) => mimeType === REACTION_TYPE)?.content;
  const emoji = reaction instanceof ArrayBuffer ? reactionOf(new Uint8Array(reaction)) : null;
  if (emoji !== null) return emoji;
  const answer = cleanMessage(answerText(email, await sentEmailOf(env, conversation)).toWellFormed());
  return outlookReactionOf(answer) ?? answer;
}

/** `digest`: of the Message-ID. The same email adds nothing twice. */
async function addToConversation(
  env: AnswerEnv,
  conversation: Conversation & { to: string },
  email: Email,
  digest: string,
): Promise<Outcome> {
  const { sessionId } = conversation;
  const room = () => env.SUPPORT_ROOM.getByName(sessionId);
  const from: Identity = { side: "user", author: sessionId, name: "Visitor" };
  const clientId = (part: number) => `email-${digest.slice(0, 32)}-${part}`;
  const body = await bodyOf(env, conversation, email);
  const { taken: files, refused } = filesOf(email.attachments);
  if (isBlank(body) && files.length === 0) return refused.length > 0 ? { refused } : "empty";
  const parts = messageParts(body, BODY_MAX_CHARS);
  if (parts.length > MESSAGES_MAX) return "too_long";
  // A delivery that is repeated after a failure counts once.
  if (!(await room().hasMessage(from, clientId(isBlank(body) ? FIRST_FILE : 0)))) {
    const limit = { name: "support_email", who: sessionId, max: ANSWERS_PER_HOUR, periodMs: HOUR_MS };
    if (!(await countAttempt(connect(env.DB), [limit])).ok) return "rate_limited";
  }
  for (const [at, part] of parts.entries()) {
    if (isBlank(part)) continue;
    const result = await room().sendByEmail(from, { clientId: clientId(at), body: part });
    if (!result.ok) return result.reason;
  }
  for (const [at, { content, type, name }] of files.entries()) {
    const admitted = await room().admitFile(from, clientId(FIRST_FILE + at));
    if (!admitted.ok) return admitted.reason;
    if (admitted.ack) continue;
    const file = { id: randomHex(), name, type, size: content.length };
    await env.UPLOADS.put(fileKey(file.id), content);
    const result = await room().sendByEmail(
      from,
      { clientId: clientId(FIRST_FILE + at), body: name, file },
      "admitted",
    );
    if (!(await room().file(file.id))) await env.UPLOADS.delete(fileKey(file.id));
    if (!result.ok) return result.reason;
  }
  if (refused.length === 0) return "added";
  await emailFilesNotTaken(env, conversation, refused, digest);
  return "added_without_files";
}

/** Queues the email that names the files, at most once for an email. Its sender is proven. */
async function emailFilesNotTaken(
  env: AnswerEnv,
  { sessionId, address, to: replyTo }: Conversation & { to: string },
  names: string[],
  digest: string,
): Promise<void> {
  const userId = userIdOf(sessionId);
  const about = { to: address, replyTo, origin: env.PUBLIC_ORIGIN ?? "", isAccount: userId !== null };
  // A digest, because the email API sees the id.
  const id = sha256(`files_not_taken ${sessionId} ${digest}`);
  const email = await makeEmail(env, "files_not_taken", filesNotTakenEmail(names, about), { userId, id });
  await queueEmail(connect(env.DB), email);
  await runLogged("email dispatcher not woken", {}, () => wakeEmailDispatcher(env));
}
