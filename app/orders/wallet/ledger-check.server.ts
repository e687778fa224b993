import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";

/** Invariants of the money. Each query lists the rows that break its rule; amounts are micro-units. */
export const LEDGER_CHECKS: Record<string, string> = {
  "a balance is the sum of its ledger entries": `
    select w.user_id as subject, w.balance as is_now, coalesce(sum(l.amount), 0) as should_be
    from wallets w left join ledger l on l.user_id = w.user_id
    group by w.user_id having is_now <> should_be`,
  "the last ledger entry holds the current balance": `
    select w.user_id as subject, w.balance as is_now, l.balance_after as should_be
    from wallets w join ledger l on l.id = (select max(id) from ledger where user_id = w.user_id)
    where is_now <> should_be`,
  "every charge has a ledger entry": `
    select 'order ' || o.id as subject, o.charge as is_now, coalesce(-l.amount, 0) as should_be
    from orders o left join ledger l on l.order_id = o.id and l.kind = 'charge'
    where o.is_test = 0 and (l.id is null or is_now <> should_be or l.user_id <> o.user_id)`,
  "every refund has a ledger entry": `
    select 'order ' || o.id as subject, o.refunded as is_now, coalesce(l.amount, 0) as should_be
    from orders o left join ledger l on l.order_id = o.id and l.kind = 'refund'
    where is_now <> should_be or (l.id is not null and l.user_id <> o.user_id)`,
  "no balance is negative": `
    select user_id as subject, min(balance_after) as is_now, 0 as should_be
    from ledger group by user_id having is_now < 0`,
  "a wallet with debt has no balance": `
    select user_id as subject, balance as is_now, 0 as should_be from wallets where owed > 0 and is_now > 0`,
  "card refunds and disputes are debited or owed": `
    select w.user_id as subject, w.owed - coalesce(sum(l.amount), 0) as is_now,
      (select coalesce(sum(reversed), 0) from checkouts c where c.user_id = w.user_id) as should_be
    from wallets w left join ledger l on l.user_id = w.user_id and l.kind = 'reversal'
    group by w.user_id having is_now <> should_be`,
};

export type LedgerFault = { rule: string; subject: string; is_now: number; should_be: number };

/** Returns every broken rule. Reads all wallets, orders and entries, so never call it within a request. */
export async function checkLedger(db: Db): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const [rule, query] of Object.entries(LEDGER_CHECKS)) {
    const rows = await db.all<Omit<LedgerFault, "rule">>(sql.raw(query));
    faults.push(...rows.map((row) => ({ rule, ...row })));
  }
  return faults;
}
