import type { JobSchedule } from "#app/db/schema.server.ts";

/**
 * A condition that holds. `subject`: the id of the provider, or the name of the job, schedule or database; empty if there
 * is only one. Times are ms since 1970.
 */
export type AlertReading =
  | { condition: "held_orders"; subject: ""; facts: { orders: number; since: number } }
  | { condition: "provider_unavailable"; subject: string; facts: { name: string; cause: "no_response" | "key" } }
  | {
      condition: "provider_balance";
      subject: string;
      /** Micro-units of the provider's currency. `daily`: what it falls by in a day. */
      facts: { name: string; balance: number; daily: number; currency: string; refused: number };
    }
  /** Amount that the balance at a provider fell by on a day, and the cost of its orders. Micro-units. */
  | { condition: "provider_costs"; subject: string; facts: { name: string; day: number; took: number; cost: number } }
  /** Changes of providers' catalogs that wait for a decision. */
  | { condition: "catalog_waiting"; subject: ""; facts: { changes: number } }
  /** `since`: when the provider's catalog was last read, or if it never was, when the provider was added. */
  | { condition: "catalog_unread"; subject: string; facts: { name: string; since: number; read: number } }
  | {
      condition: "job_failed";
      subject: string;
      /** `failures`: how many runs have failed since then while others succeeded; null if every run has. */
      facts: { since: number; failures: number | null; error: string };
    }
  | { condition: "job_late"; subject: JobSchedule; facts: { jobs: number; first: string; since: number } }
  | { condition: "ledger_fault"; subject: ""; facts: { faults: number; since: number } }
  | {
      condition: "email_failing";
      subject: "";
      facts: { waiting: number; since: number | null; failed: number; error: string };
    }
  | { condition: "database_size"; subject: "DB" | "DB_SUPPORT"; facts: { bytes: number; limit: number } }
  /** `since`: the moment of the last complete backup, or if none was `made`, when the site began to run. */
  | { condition: "backup_missing"; subject: ""; facts: { since: number; made: number; failed: number; error: string } };
