import { env } from "cloudflare:workers";
import { desc, eq } from "drizzle-orm";
import { connect } from "#app/db/db.server.ts";
import { ledger, type OrderType, services } from "#app/db/schema.server.ts";
import { type ApiKeyScope, createApiKey, type KeyLimits } from "#app/orders/api/api-keys.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { newAccount } from "./new-account.ts";

export const db = connect(env.DB);

/** Creates an account with that balance (micro-dollars) and an API key. */
export async function customerWith(balance: number): Promise<{ userId: string; email: string; apiKey: string }> {
  const { userId, email } = await newAccount();
  if (balance > 0) await credit(db, userId, { kind: "topup", amount: balance, note: "test" });
  const { key } = await newKey(userId, { name: "test", scopes: ["read", "order"] });
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
