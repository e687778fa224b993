import { callPanel } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import type { Site } from "../world/site.ts";
import type { OrderRow, Violation } from "./violation.ts";

type LedgerRow = {
  id: number;
  user_id: string;
  order_id: number | null;
  kind: string;
  amount: number;
  balance_after: number;
};

/** Computes each wallet from the world's credits and the orders' charges and refunds, and compares all views of it. */
export async function judgeWallets(
  site: Site,
  world: World,
  rows: OrderRow[],
  creditsOf: (customer: number) => number,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const ledger = await site.query<LedgerRow>(
    "select id, user_id, order_id, kind, amount, balance_after from ledger where user_id not like 'seed%' order by id",
  );
  const wallets = new Map(
    (
      await site.query<{ user_id: string; balance: number; owed?: number }>(
        "select * from wallets where user_id not like 'seed%'",
      )
    ).map((row) => [row.user_id, row]),
  );
  for (const [index, customer] of world.customers.entries()) {
    if (customer.hasLeft) continue;
    const { userId, person } = customer;
    const own = rows.filter((row) => row.user_id === userId);
    const credits = customer.opening + creditsOf(index);
    const worth = own.reduce((sum, { charge, refunded }) => sum - charge + refunded, credits);
    const due = Math.max(0, worth);
    const owed = Math.max(0, -worth);
    const wallet = wallets.get(userId) ?? { balance: 0, owed: 0 };
    const entries = ledger.filter((entry) => entry.user_id === userId);
    const summed = entries.reduce((sum, { amount }) => sum + amount, 0);
    const shown = (await callPanel(site, customer, { action: "balance" })) as { balance?: string } | null;
    const broken = (rule: string, truth: unknown, says: unknown) =>
      violations.push({ rule, subject: person.email, world: truth, product: says });
    if (wallet.balance !== due) broken("a wallet is its credits less its orders", due, wallet);
    if ((wallet.owed ?? 0) !== owed) broken("a customer owes what was spent and taken back", owed, wallet);
    if (owed > 0) site.count("customer owes at the end");
    if (summed !== due) broken("a ledger's entries make its wallet", due, summed);
    if (Math.abs(Number(shown?.balance) - due / 1e6) > 0.01) broken("the API shows the wallet", due, shown);
    let balance = 0;
    for (const entry of entries) {
      balance += entry.amount;
      if (entry.balance_after !== balance) broken("each entry states the balance after it", balance, entry);
    }
  }
  return violations;
}
