import { env } from "cloudflare:workers";
import { desc, eq } from "drizzle-orm";
import { connect } from "#app/db/db.server.ts";
import { apiKeys, ledger, type OrderType, services, wallets } from "#app/db/schema.server.ts";
import { type ApiKeyScope, createApiKey, type KeyLimits, newKey as makeKey } from "#app/orders/api/api-keys.server.ts";
import { newAccountRows } from "./new-account.ts";

export const db = connect(env.DB);

/** Creates an account with that balance (micro-dollars) and an API key. */
export async function customerWith(balance: number): Promise<{ userId: string; email: string; apiKey: string }> {
  const { userId, email, rows } = newAccountRows();
  const { id, key, digest, prefix } = makeKey(env, false);
  const now = Date.now();
  const topup = { kind: "topup", amount: balance, note: "test", balanceAfter: balance, createdAt: now } as const;
  await db.batch([
    ...rows,
    ...(balance > 0
      ? [
          db.update(wallets).set({ balance }).where(eq(wallets.userId, userId)),
          db.insert(ledger).values({ userId, ...topup }),
        ]
      : []),
    db.insert(apiKeys).values({
      id,
      userId,
      name: "test",
      digest,
      prefix,
      canRead: true,
      canOrder: true,
      addresses: [],
      createdAt: now,
    }),
  ]);
  return { userId, email, apiKey: key };
}

/** Creates an API key. Throws if the account may not have it. */
export async function newKey(
  userId: string,
  input: { name: string; scopes: ApiKeyScope[]; isTest?: boolean; limits?: KeyLimits },
): Promise<{ id: string; key: string }> {
  const created = await createApiKey(db, env, userId, { ...input, sessionId: null });
  if (!created.ok) throw new Error(created.reason);
  return created;
}

/** Creates a service, fulfilled manually unless it names a provider, and returns its id. */
export async function service(
  terms: Partial<typeof services.$inferInsert> & { type?: OrderType } = {},
): Promise<number> {
  const [created] = await db
    .insert(services)
    .values({ network: "Instagram", category: "Likes", name: "Likes", rate: 900_000, min: 10, max: 100_000, ...terms })
    .returning({ id: services.id });
  if (!created) throw new Error("the service was not stored");
  return created.id;
}

/** Returns the newest ledger entries of the account, newest first. */
export async function listLedger(userId: string, limit: number) {
  return db.select().from(ledger).where(eq(ledger.userId, userId)).orderBy(desc(ledger.id)).limit(limit);
}
