import type { BatchItem } from "drizzle-orm/batch";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { alertDeliveries } from "#app/db/schema.server.ts";
import { composeEmail } from "#app/email/compose-email.ts";
import { makeEmail, queueEmail } from "#app/email/queue-email.server.ts";
import { logError } from "#app/http/log.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { readSiteSettings } from "#app/settings/settings-store.server.ts";
import { type AlertEnv, alertChannels } from "./alert-channels.ts";
import type { AlertReading } from "./alert-reading.ts";
import { endOf, textOf, time } from "./alert-text.ts";

export type AlertEvent = {
  alertId: string;
  reading: AlertReading;
  openedAt: number;
  /** When the condition ended, or null for the message about its beginning. */
  clearSince: number | null;
};

/**
 * Returns the statements that queue the messages about an alert, for the batch that opens or closes it. Without emails if
 * they can't be encrypted, as after a lost key; throws then if there is no webhook.
 */
export async function queueMessages(
  db: Db,
  env: AlertEnv & Pick<Env, "ENCRYPTION_KEYS">,
  event: AlertEvent,
  now: number,
): Promise<BatchItem<"sqlite">[]> {
  const { alert_emails } = await readSiteSettings(db, {});
  const { emails, webhook } = alertChannels(env, alert_emails);
  const message = messageOf(env, event);
  const made = await Promise.all(
    emails.map(async (to) => {
      const parts = [...message.parts, { link: message.url, label: "Open the page" }];
      // A digest, because the email API sees the id.
      const id = sha256(`${message.id} ${to}`);
      try {
        return [await makeEmail(env, "alert", composeEmail(to, message.subject, parts), { id })];
      } catch (error) {
        if (!webhook) throw error;
        logError("alert not emailed", error, { alert: event.alertId });
        return [];
      }
    }),
  );
  const queued = made.flat().map((email) => queueEmail(db, email));
  if (!webhook) return queued;
  const delivery = db.insert(alertDeliveries).values({
    id: message.id,
    alertId: event.alertId,
    body: JSON.stringify({ type: message.type, timestamp: new Date(now).toISOString(), ...message.json }),
    nextAttemptAt: now,
    createdAt: now,
  });
  return [...queued, delivery.onConflictDoNothing()];
}

function messageOf(env: AlertEnv, { alertId, reading, openedAt, clearSince }: AlertEvent) {
  const { title, happened, todo, path } = textOf(reading);
  const isOver = clearSince !== null;
  const url = `${env.PUBLIC_ORIGIN ?? ""}${path}`;
  const headline = isOver ? `Resolved: ${title}` : title;
  const parts = isOver
    ? [endOf(openedAt, clearSince), `What it was: ${happened}`]
    : [
        `${title}. ${happened}`,
        `What to do: ${todo}`,
        `Noticed at ${time(openedAt)}. We'll email you once it is over.`,
      ];
  return {
    id: `alert_${isOver ? "closed" : "opened"}_${alertId}`,
    type: isOver ? "alert.closed" : "alert.opened",
    subject: `[${PRODUCT_NAME}] ${headline}`,
    parts,
    url,
    json: {
      // For receivers that show one line to people.
      text: `${headline}. ${isOver ? parts[0] : happened} ${url}`,
      data: {
        alert: alertId,
        condition: reading.condition,
        subject: reading.subject,
        title,
        facts: reading.facts,
        opened_at: new Date(openedAt).toISOString(),
        closed_at: isOver ? new Date(clearSince).toISOString() : null,
        url,
      },
    },
  };
}
