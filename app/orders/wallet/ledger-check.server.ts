import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";

/** The rows a rule goes through: wallets (`w`), ledger entries (`l`) or orders (`o`). */
export type LedgerSubject = "wallet" | "entry" | "order";

type LedgerRule = {
  subject: LedgerSubject;
  /** Selects the subjects that break the rule, among those `where` selects. Amounts are micro-units. */
  faults: (where: SQL) => SQL;
  /**
   * Reads the whole history of a wallet, so the nightly check leaves it out. The rules of its entries and its last
   * entry say the same.
   */
  readsHistory?: true;
};

const lastEntry = sql`(select max(id) from ledger where user_id = w.user_id)`;
const balanceBefore = sql`coalesce(
  (select p.balance_after from ledger p where p.user_id = l.user_id and p.id < l.id order by p.id desc limit 1), 0)`;

/** Invariants of the money. */
export const LEDGER_RULES: Record<string, LedgerRule> = {
  "a balance is the sum of its ledger entries": {
    subject: "wallet",
    readsHistory: true,
    faults: (where) => sql`
      select w.user_id as subject, w.balance as is_now,
        (select coalesce(sum(amount), 0) from ledger where user_id = w.user_id) as should_be
      from wallets w where ${where} and is_now <> should_be`,
  },
  "the last ledger entry holds the current balance": {
    subject: "wallet",
    faults: (where) => sql`
      select w.user_id as subject, w.balance as is_now, coalesce(l.balance_after, 0) as should_be
      from wallets w left join ledger l on l.id = ${lastEntry}
      where ${where} and is_now <> should_be`,
  },
  "an entry continues from the balance of the entry before": {
    subject: "entry",
    faults: (where) => sql`
      select l.id as subject, l.balance_after as is_now, ${balanceBefore} + l.amount as should_be
      from ledger l where ${where} and is_now <> should_be`,
  },
  "no entry leaves a negative balance": {
    subject: "entry",
    faults: (where) => sql`
      select l.id as subject, l.balance_after as is_now, 0 as should_be from ledger l where ${where} and is_now < 0`,
  },
  "every charge has a ledger entry": {
    subject: "order",
    faults: (where) => sql`
      select o.id as subject, o.charge as is_now, coalesce(-l.amount, 0) as should_be
      from orders o left join ledger l on l.order_id = o.id and l.kind = 'charge'
      where ${where} and o.is_test = 0 and (l.id is null or is_now <> should_be or l.user_id <> o.user_id)`,
  },
  "every refund has a ledger entry": {
    subject: "order",
    faults: (where) => sql`
      select o.id as subject, o.refunded as is_now, coalesce(l.amount, 0) as should_be
      from orders o left join ledger l on l.order_id = o.id and l.kind = 'refund'
      where ${where} and (is_now <> should_be or (l.id is not null and l.user_id <> o.user_id))`,
  },
  "a wallet with debt has no balance": {
    subject: "wallet",
    faults: (where) => sql`
      select w.user_id as subject, w.balance as is_now, 0 as should_be
      from wallets w where ${where} and w.owed > 0 and is_now > 0`,
  },
  "card refunds and disputes are debited or owed": {
    subject: "wallet",
    // Repeats the condition of the index ledger_credits_by_user.
    faults: (where) => sql`
      select w.user_id as subject,
        w.owed - (select coalesce(sum(l.amount), 0) from ledger l
          where l.user_id = w.user_id and l.kind = 'reversal' and l.kind <> 'charge') as is_now,
        (select coalesce(sum(reversed), 0) from checkouts c where c.user_id = w.user_id) as should_be
      from wallets w where ${where} and is_now <> should_be`,
  },
};

/** `subject` is the id of what broke the rule: `order 17`, `entry 17`, `wallet` and the user's id. */
export type LedgerFault = { rule: string; subject: string; is_now: number; should_be: number };

/** Returns every broken rule. Reads all wallets, orders and entries, so never call it within a request. */
export async function checkLedger(db: Db): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const [rule, { subject, faults: query }] of Object.entries(LEDGER_RULES)) {
    const rows = await db.all<Omit<LedgerFault, "rule">>(query(sql`1`));
    faults.push(...rows.map((row) => ({ ...row, rule, subject: `${subject} ${row.subject}` })));
  }
  return faults;
}
