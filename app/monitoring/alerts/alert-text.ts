import { formatsOf } from "#app/components/formats/number-formats.ts";
import { TROUBLE_COUNTED_TO } from "#app/email/email-admin.server.ts";
import { CURRENCY, MICRO } from "#app/product.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import type { AlertReading } from "./alert-reading.ts";

const GIGABYTE = 1_000_000_000;
const TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const DATE = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

/** An alert in words. `path`: the page that shows more. */
export type AlertText = { title: string; happened: string; todo: string; path: string };

export function textOf(reading: AlertReading): AlertText {
  const { condition, subject, facts } = reading;
  switch (condition) {
    case "held_orders":
      return {
        title: `${count(facts.orders, "order is", "orders are")} held`,
        happened: `${facts.orders === 1 ? "It waits" : "They wait"} for a person to decide. The first has been held since ${time(facts.since)}.`,
        todo: "Each order's page says why. Look the order up in the provider's panel, then track it, cancel it or send it again.",
        path: "/admin/orders?state=held",
      };
    case "provider_unavailable":
      return facts.cause === "key"
        ? {
            title: `${facts.name} refuses our API key`,
            happened: "Orders to this provider wait.",
            todo: "Enter a valid key on the provider's page.",
            path: `/admin/providers/${subject}`,
          }
        : {
            title: `${facts.name} doesn't respond`,
            happened:
              "Several calls in a row failed, so no orders are sent there. They wait and are sent once it responds.",
            todo: "Ask the provider. If it takes long, take its services off sale or send them to another provider.",
            path: `/admin/providers/${subject}`,
          };
    case "provider_balance":
      return {
        title: facts.refused === 1 ? `${facts.name} has none of our funds left` : `Funds at ${facts.name} run out soon`,
        happened: `The balance is ${amount(facts.balance)} ${facts.currency}${
          facts.daily > 0
            ? `, and ${amount(facts.daily)} ${facts.currency} are spent per day: enough for ${daysLeft(facts)}`
            : ""
        }.`,
        todo: "Add funds at the provider. Orders wait while there are none.",
        path: `/admin/providers/${subject}`,
      };
    case "provider_costs":
      return {
        title: `${facts.name} took more than its orders cost`,
        happened: `On ${DATE.format(facts.day * DAY_MS)}, our balance there fell by ${amount(facts.took)} ${CURRENCY}, and our orders cost ${amount(facts.cost)} ${CURRENCY}.`,
        todo: "Compare the day with the provider's own list of orders, and ask the provider. Margins are lower than they seem.",
        path: `/admin/providers/${subject}#costs`,
      };
    case "catalog_waiting":
      return {
        title: `${count(facts.changes, "change", "changes")} of providers' catalogs ${facts.changes === 1 ? "waits" : "wait"} for a decision`,
        happened:
          "A night found terms that it may not accept by itself. What would sell below cost is paused meanwhile.",
        todo: "Take each change, keep our rate, or take the service off sale.",
        path: "/admin/providers/quarantine",
      };
    case "catalog_unread":
      return {
        title: `The catalog of ${facts.name} can't be read`,
        happened:
          facts.read === 1
            ? `It was last read at ${time(facts.since)}. A price that rises there isn't noticed.`
            : `It has never been read. The provider was added at ${time(facts.since)}.`,
        todo: "Look at the provider's latest responses to “services”, and ask the provider.",
        path: `/admin/providers/${subject}`,
      };
    case "job_failed":
      return {
        title: `The job “${subject}” fails`,
        happened:
          facts.failures === null
            ? `It has failed since ${time(facts.since)}: ${facts.error}`
            : `${facts.failures} of its runs have failed since ${time(facts.since)}, and others succeeded: ${facts.error}`,
        todo: "Look for “scheduled job failed” in the worker's log. The job is tried again by itself.",
        path: "/admin/system#jobs",
      };
    case "job_late":
      return {
        title: `${count(facts.jobs, "job", "jobs")} of each ${subject} ${facts.jobs === 1 ? "is" : "are"} late`,
        happened: `“${facts.first}” hasn't ended since ${time(facts.since)}.`,
        todo: "Check the worker's cron triggers at Cloudflare, and its log for runs that were cut off.",
        path: "/admin/system#jobs",
      };
    case "ledger_fault":
      return {
        title: "The ledger doesn't add up",
        happened: `The nightly check found ${count(facts.faults, "fault", "faults")}, the first at ${time(facts.since)}.`,
        todo: "Run “npm run ledger:check -- --remote” to see each one. Don't adjust the balances concerned until you know why.",
        path: "/admin/system",
      };
    case "email_failing":
      return {
        title: "Emails aren't being sent",
        happened: [
          facts.waiting > 0 && facts.since !== null
            ? `${atLeast(facts.waiting, "email waits", "emails wait")}, the first since ${time(facts.since)}.`
            : "",
          facts.failed > 0 ? `${atLeast(facts.failed, "email", "emails")} failed in the last hour.` : "",
          facts.error === "" ? "" : `The last error: ${facts.error}`,
        ]
          .filter(Boolean)
          .join(" "),
        todo: "Check the account at the email service. What waits is sent by itself, until it expires.",
        path: "/admin/emails",
      };
    case "database_size":
      return {
        title: `The database ${subject} is ${Math.floor((100 * facts.bytes) / facts.limit)}% full`,
        happened: `It holds ${gigabytes(facts.bytes)} of ${gigabytes(facts.limit)}. At the limit, D1 refuses every write.`,
        todo: "Find out which tables grow, then shorten their life or move their old rows out.",
        path: "/admin/system#databases",
      };
    case "backup_missing":
      return {
        title:
          facts.failed === 1
            ? "The backup failed"
            : facts.made === 1
              ? "The backup is late"
              : "No backup has been made",
        happened: [
          facts.made === 1
            ? `What has been written since ${time(facts.since)} is in no backup.`
            : `The site has run without a backup since ${time(facts.since)}.`,
          facts.error === "" ? "" : `The last error: ${facts.error}.`,
        ]
          .filter(Boolean)
          .join(" "),
        todo: "Look for “backup step failed” and “no backup” in the worker's log. Then run “npm run backup -- --remote”, which prints what fails.",
        path: "/admin/system#backups",
      };
    default:
      return condition satisfies never;
  }
}

/** Returns the sentences about an alert's end. */
export function endOf(openedAt: number, clearSince: number): string {
  const minutes = Math.max(1, Math.round((clearSince - openedAt) / MINUTE_MS));
  return `This is over since ${time(clearSince)}. It lasted ${minutes < 120 ? count(minutes, "minute", "minutes") : count(Math.round(minutes / 60), "hour", "hours")}.`;
}

/** "2.3 days", of funds at a provider. */
export function daysLeft({ balance, daily }: { balance: number; daily: number }): string {
  const days = Math.max(0, balance / daily);
  return days < 10 ? `${days.toFixed(1)} days` : count(Math.round(days), "day", "days");
}

export function time(at: number): string {
  return `${TIME.format(at)} UTC`;
}

export function gigabytes(bytes: number): string {
  return bytes < GIGABYTE / 10 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / GIGABYTE).toFixed(2)} GB`;
}

/** With cents, without a currency: the provider's may be one that we have no format for. */
export function amount(micro: number): string {
  return new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(micro / MICRO);
}

/** The check counts no further. */
function atLeast(n: number, one: string, many: string): string {
  return n < TROUBLE_COUNTED_TO ? count(n, one, many) : `${n} or more ${many}`;
}

function count(n: number, one: string, many: string): string {
  return `${formatsOf("en-US").number(n)} ${n === 1 ? one : many}`;
}
