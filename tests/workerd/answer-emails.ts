import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { makeReplyToken } from "#app/support/email/reply-token.server.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import { mailSource } from "#tests/answer-mails/mail-source.ts";
import worker from "#workers/app.ts";
import { newVisitor, roomOf, until } from "./support-visitor.ts";

/** Conversations of visitors with an address, and answers to them by email, delivered as the platform delivers them. */

export const REPLY_DOMAIN = "reply.growline.example";
export const ADA = "ada@visitor.example";
export const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
export const passed = (domain = "visitor.example") =>
  `mx.cloudflare.net;\r\n\tdkim=pass header.d=${domain} header.s=s1; dmarc=pass header.from=${domain} policy.dmarc=none;\r\n\tspf=pass (mx.cloudflare.net: designates 192.0.2.1) smtp.mailfrom=ada@${domain}`;

export const HEIC = new TextEncoder().encode("\0\0\0\x18ftypheic photo");

export type Mail = {
  to: string;
  from?: string;
  headers?: Record<string, string>;
  raw?: Uint8Array<ArrayBuffer>;
  rawSize?: number;
};

export const supportDb = connectSupport(env.DB_SUPPORT);

export async function conversation(madeAt = Date.now(), address = ADA) {
  const { sessionId } = await newVisitor("Ada", address);
  return { sessionId, to: await addressFor(sessionId, address, madeAt) };
}

/** Returns where an answer of `address` to the conversation goes. */
export async function addressFor(sessionId: string, address: string, madeAt = Date.now()): Promise<string> {
  const row = await until(async () => {
    // Without the room's delay before it stores something.
    await runDurableObjectAlarm(roomOf(sessionId));
    const [found] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
    return found;
  });
  return `${makeReplyToken(env.SESSION_SECRET, { rowId: row.id, sessionId, address }, madeAt)}@${REPLY_DOMAIN}`;
}

/** Returns an email of a text and the parts after it. */
export function mailOf(
  subtype: "alternative" | "mixed" | "related",
  text: string,
  parts: string[],
  from = ADA,
): Uint8Array<ArrayBuffer> {
  const head = `Authentication-Results: ${passed()}\r\nFrom: ${from}\r\nMessage-ID: <f@visitor.example>\r\nContent-Type: multipart/${subtype}; boundary=b\r\n\r\n`;
  return new TextEncoder().encode(`${head}--b\r\n\r\n${text}\r\n${parts.join("")}--b--\r\n`);
}

export function attached(name: string, bytes: Uint8Array): string {
  return filePart(`application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"`, bytes);
}

/** The same for an image that the text shows. */
export function inText(name: string, bytes: Uint8Array): string {
  return filePart(`image/png\r\nContent-ID: <${name}>\r\nContent-Disposition: inline; filename="${name}"`, bytes);
}

function filePart(type: string, bytes: Uint8Array): string {
  const content = btoa(String.fromCharCode(...bytes));
  return `--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}\r\n`;
}

/** The start of a PNG, with its size. */
export function pngOf(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(33);
  bytes.set(PNG.subarray(0, 8));
  bytes.set([0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52], 8);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}

/** Delivers an email as the platform does, with `bindings` in place of others. Returns the text of its rejection, or null. */
export async function deliver(
  { to, from = ADA, headers = {}, ...given }: Mail,
  bindings: Partial<Env> = {},
): Promise<string | null> {
  const raw = given.raw ?? mailSource({ plain: "Order 4711\n" }, { "Authentication-Results": passed(), ...headers });
  let rejected: string | null = null;
  const known = Object.entries(headers).filter(([name]) => /^[A-Z]/.test(name));
  const message = {
    from,
    to,
    headers: new Headers(known.map(([name, value]): [string, string] => [name, value.replaceAll(/\r\n\t/g, " ")])),
    raw: new Response(raw).body,
    rawSize: given.rawSize ?? raw.length,
    setReject: (reason: string) => {
      rejected = reason;
    },
  } as unknown as ForwardableEmailMessage;
  await worker.email(message, { ...env, REPLY_DOMAIN, ...bindings });
  return rejected;
}

export async function messagesOf(sessionId: string) {
  return (await roomOf(sessionId).read(0))?.messages ?? [];
}

export async function agentReplies(sessionId: string, clientId: string): Promise<void> {
  const bo = { side: "admin", author: "agent-1", name: "Bo" } as const;
  await roomOf(sessionId).sendMessage(bo, { clientId, body: "Which order?" });
  await roomOf(sessionId).applyAction(
    { id: "agent-1", name: "Bo" },
    { action: "tag", tag: `r${clientId}`, isOn: true },
  );
}

export async function replyToOf(sessionId: string, now: number): Promise<string> {
  const found: string[] = [];
  const queue: Parameters<typeof emailUnreadReplies>[2] = async (_email, of) => {
    if (of.onceKey.startsWith(sessionId)) found.push(of.replyTo?.(ADA) ?? "");
    return true;
  };
  await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, queue, now, {
    domain: REPLY_DOMAIN,
    secrets: env.SESSION_SECRET,
  });
  return found[0] ?? "";
}
