import type { Db } from "#app/db/db.server.ts";
import { addressDigest, suppressedAmong } from "#app/email/suppressions.server.ts";
import { readSiteSettings } from "#app/settings/settings-store.server.ts";
import { type AlertEnv, alertChannels } from "./alert-channels.ts";
import { type AlertText, textOf } from "./alert-text.ts";
import { type AlertRow, alertRows, selectClosedAlerts, selectOpenAlerts } from "./alerts.server.ts";
import { selectLastDelivery } from "./deliver-alerts.server.ts";

const CLOSED_SHOWN = 10;

/** An alert as admins see it. */
export type ShownAlert = Pick<AlertRow, "id" | "openedAt" | "clearSince" | "closedAt"> & AlertText;

/** Reads the open alerts, those that ended last, and where alerts go. Returns no secret, and of the webhook's URL its host. */
export async function readAlerts(db: Db, env: AlertEnv) {
  const { alert_emails } = await readSiteSettings(db, {});
  const { emails, webhook, problems } = alertChannels(env, alert_emails);
  const [[open, closed, [lastDelivery]], suppressed] = await Promise.all([
    db.batch([selectOpenAlerts(db, Date.now()), selectClosedAlerts(db, CLOSED_SHOWN), selectLastDelivery(db)]),
    suppressedAmong(db, emails),
  ]);
  const unreached = emails.filter((address) => suppressed.has(addressDigest(address)));
  return {
    open: alertRows(open).map(shown),
    closed: alertRows(closed).map(shown),
    channels: {
      emails,
      webhookHost: webhook && new URL(webhook.url).host,
      problems: [
        ...problems,
        ...unreached.map((address) => `Emails to ${address} are suppressed. Allow them on the page Emails.`),
      ],
      lastDelivery: lastDelivery ?? null,
    },
  };
}

/** Reads the open alerts alone. */
export async function readOpenAlerts(db: Db): Promise<ShownAlert[]> {
  return alertRows(await selectOpenAlerts(db, Date.now())).map(shown);
}

function shown(alert: AlertRow): ShownAlert {
  const { id, openedAt, clearSince, closedAt } = alert;
  return { id, openedAt, clearSince, closedAt, ...textOf(alert) };
}
