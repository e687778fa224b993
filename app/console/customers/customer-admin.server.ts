import { eq, sql } from "drizzle-orm";
import { listStaffOrders } from "#app/console/orders/list/staff-order-list.server.ts";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { ledger, profiles, users, wallets } from "#app/db/schema.server.ts";
import { balanceNow } from "#app/orders/wallet/ledger.server.ts";
import { selectNotes } from "./notes/customer-notes.server.ts";

/** Customers and their balances, as staff see and change them. Amounts are micro-units. */

export type StaffCustomer = NonNullable<Awaited<ReturnType<typeof readCustomer>>>;

/** Returns a customer with the notes below the note `notesBefore`, or null. */
export async function readCustomer(db: Db, userId: string, notesBefore: number | null, limit: number) {
  const [[person], notes] = await db.batch([
    db
      .select({
        userId: profiles.userId,
        email: profiles.email,
        fullName: profiles.fullName,
        role: profiles.role,
        createdAt: users.createdAt,
        balance: sql<number>`coalesce(${wallets.balance}, 0)`,
        owed: sql<number>`coalesce(${wallets.owed}, 0)`,
      })
      .from(profiles)
      .innerJoin(users, eq(users.id, profiles.userId))
      .leftJoin(wallets, eq(wallets.userId, profiles.userId))
      .where(eq(profiles.userId, userId))
      .limit(1),
    selectNotes(db, userId, notesBefore, limit),
  ]);
  if (!person) return null;
  return { person, notes };
}

/** Returns the account and balance of a signed-in visitor with the latest orders, in one trip, or null. */
export async function readAccountAndOrders(db: Db, userId: string, limit: number) {
  const [[account], orders] = await db.batch([
    selectAccount(db, userId).limit(1),
    listStaffOrders(db, { view: "all", userId }, limit),
  ]);
  return account ? { account, orders: orders.slice(0, limit) } : null;
}

function selectAccount(db: Db, userId: string) {
  return db
    .select({
      userId: profiles.userId,
      email: profiles.email,
      fullName: profiles.fullName,
      emailConfirmedAt: users.emailConfirmedAt,
      createdAt: users.createdAt,
      balance: sql<number>`coalesce(${wallets.balance}, 0)`,
    })
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.userId))
    .leftJoin(wallets, eq(wallets.userId, profiles.userId))
    .where(eq(profiles.userId, userId));
}

export type AdjustmentRefusal = "not_found" | "bad_amount" | "insufficient_funds" | "repeated";

/**
 * Credits or debits (negative `amount`) a balance in one batch with its ledger and audit entries. Refuses a debit that
 * the balance does not cover. The reason becomes the ledger entry's note, which the customer sees.
 */
export async function adjustBalance(
  db: Db,
  actor: Actor,
  userId: string,
  adjustment: { kind: "topup" | "adjustment"; amount: number; reason: string },
  onceKey: string,
): Promise<{ ok: true; balance: number } | { ok: false; reason: AdjustmentRefusal }> {
  const { kind, amount, reason } = adjustment;
  if (!Number.isSafeInteger(amount) || amount === 0 || (kind === "topup" && amount < 0)) {
    return { ok: false, reason: "bad_amount" };
  }
  const [person] = await db
    .select({ userId: profiles.userId })
    .from(profiles)
    .where(eq(profiles.userId, userId))
    .limit(1);
  if (!person) return { ok: false, reason: "not_found" };
  try {
    const results = await db.batch([
      audit(db, actor, {
        action: amount > 0 ? "customer.credit" : "customer.debit",
        subject: "customer",
        subjectId: userId,
        detail: { kind, amount, reason },
        onceKey,
      }),
      db.insert(wallets).values({ userId }).onConflictDoNothing(),
      // The CHECK on the balance refuses a debit that it does not cover.
      db
        .update(wallets)
        .set({ balance: sql`${wallets.balance} + ${amount}` })
        .where(eq(wallets.userId, userId)),
      db
        .insert(ledger)
        .values({ userId, kind, amount, note: reason, balanceAfter: balanceNow(userId), createdAt: Date.now() }),
      // Reads after the ledger entry, whose trigger settles any debt.
      db.select({ balance: wallets.balance }).from(wallets).where(eq(wallets.userId, userId)),
    ]);
    return { ok: true, balance: results[4][0]?.balance ?? 0 };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "wallet_balance_not_negative")) return { ok: false, reason: "insufficient_funds" };
    throw error;
  }
}
