import { and, eq, inArray, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { type EmailStatus, emails, type SuppressionReason } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import { outsideJson } from "#app/http/outside-json.ts";
import { ID_TAG } from "./send-email.server.ts";
import { MAX_DETAIL_CHARACTERS, suppress } from "./suppressions.server.ts";

const MAX_RECIPIENTS = 50;
/** Objects, lists and members: those that we read, and ten times as many. */
const MAX_EVENT_PARTS = 2000;
const MAX_ADDRESS_CHARACTERS = 254;

/**
 * An event of the email API: https://resend.com/docs/webhooks/event-types. Events come repeated and in any order.
 * `tags` is an object or a list of pairs, depending on the page of the documentation.
 */
const emailEvent = z.object({
  type: z.string(),
  created_at: z.iso.datetime({ offset: true }).transform(Date.parse),
  data: z.object({
    to: z.array(z.string().max(MAX_ADDRESS_CHARACTERS)).max(MAX_RECIPIENTS).catch([]),
    tags: z
      .union([
        z.record(z.string(), z.string()),
        z
          .array(z.object({ name: z.string(), value: z.string() }))
          .transform((tags) => Object.fromEntries(tags.map(({ name, value }) => [name, value]))),
      ])
      .catch({}),
    bounce: z.object({ type: z.string().catch(""), message: z.string().catch("") }).optional(),
    failed: z.object({ reason: z.string().catch("") }).optional(),
  }),
});
export type EmailEvent = z.output<typeof emailEvent>;

/** Returns whether the event is signed with our secret, and recently. */
export function isSignedEvent(secret: string, body: string, headers: Headers): boolean {
  // Svix, which Resend uses, names the headers of Standard Webhooks in its own way.
  const named = ["id", "timestamp", "signature"].map((name) => [
    `webhook-${name}`,
    headers.get(`svix-${name}`) ?? headers.get(`webhook-${name}`) ?? "",
  ]);
  try {
    new Webhook(secret).verify(body, Object.fromEntries(named), { jsonParse: false });
    return true;
  } catch (error) {
    log("warn", "email webhook rejected", { why: error instanceof Error ? error.message : String(error) });
    return false;
  }
}

/** Returns null for an event that is not about an email. */
export function parseEmailEvent(body: string): EmailEvent | null {
  const parsed = emailEvent.safeParse(outsideJson(body, MAX_EVENT_PARTS));
  return parsed.success ? parsed.data : null;
}

/**
 * Marks the email of an event as not arrived, and suppresses its recipients if it bounced for good or was reported as
 * spam. A repeat changes nothing.
 */
export async function applyEmailEvent(db: Db, { type, created_at, data }: EmailEvent): Promise<void> {
  const outcome = outcomeOf(type, data.bounce?.type);
  if (outcome === null) return;
  const { status, reason } = outcome;
  const text = data.bounce?.message || data.failed?.reason;
  // Mail servers of strangers write it.
  const detail = text ? cutText(text, MAX_DETAIL_CHARACTERS) : null;
  const emailId = data.tags[ID_TAG];
  const at = Math.min(created_at, Date.now());
  const finishedAt = sql`coalesce(${emails.finishedAt}, cast(${at} as integer))`;
  const markEmail = db
    .update(emails)
    .set({ status, lastError: detail, sealedContent: null, nextAttemptAt: null, finishedAt })
    // Still queued if the event is faster than our own write.
    .where(and(eq(emails.id, emailId ?? ""), inArray(emails.status, ["sent", "queued"])));
  const suppressions =
    reason === null ? [] : data.to.map((address) => suppress(db, { address, emailId, reason, detail, at }));
  await db.batch([markEmail, ...suppressions]);
}

type EventOutcome = {
  status: EmailStatus;
  /** Reason to send the address no more emails, or null if it may get more, after a full mailbox for example. */
  reason: SuppressionReason | null;
};

/** Returns null for an event that says nothing against the email. */
function outcomeOf(type: string, bounce = "Permanent"): EventOutcome | null {
  switch (type) {
    case "email.bounced":
      return { status: "bounced", reason: /^(permanent|hard)/i.test(bounce) ? "bounced" : null };
    case "email.complained":
      return { status: "complained", reason: "complained" };
    case "email.suppressed":
      return { status: "suppressed", reason: "refused" };
    case "email.failed":
      return { status: "failed", reason: null };
    default:
      return null;
  }
}
