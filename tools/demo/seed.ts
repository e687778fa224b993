import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword } from "#app/accounts/password/password-hash.server.ts";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { seal } from "#app/crypto/seal.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { ledger, providers, type Role, services, users } from "#app/db/schema.server.ts";
import { createApiKey } from "#app/orders/api/api-keys.server.ts";
import { statedRefillDays } from "#app/orders/delivery/refill-terms.ts";
import { providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { linkKindOf } from "#app/orders/rules/links/service-links.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { readJsonFile, replaceFile } from "#tools/run/state-files.ts";
import { demoCatalog, demoLinkCheck, sandboxCost } from "./demo-catalog.ts";

type Login = { email: string; password: string };
export type Demo = {
  url: string;
  admin: Login;
  agent: Login;
  customer: Login & { apiKey: string };
  /** The Google emulator and this copy's client id and secret there. */
  google: { url: string; clientId: string; clientSecret: string };
  provider: { url: string };
};

const SANDBOX = "Sandbox";
const CUSTOMER_BALANCE = 250 * MICRO;

/** Fills an empty database with demo data once, and updates the URLs of the stand-ins at every start. */
export async function seed(
  database: D1Database,
  options: {
    stateDir: string;
    url: string;
    google: Demo["google"];
    providerUrl: string;
    providerKey: string;
    encryptionKeys: string;
    SESSION_SECRET: string;
  },
): Promise<Demo> {
  const db = connect(database);
  const file = join(options.stateDir, "demo.json");
  await seedProvider(db, options);
  const people = readDemo(options.stateDir) ?? (await seedPeople(db, options));
  const demo: Demo = {
    url: options.url,
    admin: people.admin,
    agent: people.agent,
    customer: people.customer,
    google: options.google,
    provider: { url: options.providerUrl },
  };
  replaceFile(file, `${JSON.stringify(demo, null, 2)}\n`);
  return demo;
}

/** Returns the demo accounts of the copy in `stateDir`, or null if it has not finished its first start. */
export function readDemo(stateDir: string): Demo | null {
  const advice = "Delete the file: npm start then gives the demo accounts new passwords.";
  return readJsonFile(join(stateDir, "demo.json"), advice) as Demo | null;
}

async function seedProvider(
  db: Db,
  options: { providerUrl: string; providerKey: string; encryptionKeys: string },
): Promise<void> {
  const encryptedKey = await seal(options.encryptionKeys, providerKeyContext(SANDBOX), options.providerKey);
  const [sandbox] = await db
    .insert(providers)
    .values({ name: SANDBOX, apiUrl: options.providerUrl, encryptedKey, createdAt: Date.now() })
    .onConflictDoUpdate({ target: providers.name, set: { apiUrl: options.providerUrl, encryptedKey, openUntil: 0 } })
    .returning();
  if (!sandbox) throw new Error("the sandbox provider was not stored");
  const [known] = await db
    .select({ id: services.id })
    .from(services)
    .where(eq(services.providerId, sandbox.id))
    .limit(1);
  if (known) return;
  const inserts = demoCatalog().map((service, position) =>
    db.insert(services).values({
      ...service,
      rate: parseDecimal(service.rate) ?? 0,
      position,
      linkKind: linkKindOf(service),
      refillDays: service.refill ? statedRefillDays(service.name) : null,
      linkCheck: demoLinkCheck(service),
      providerId: sandbox.id,
      providerServiceId: String(position + 1),
      providerRate: parseDecimal(sandboxCost(service.rate)),
    }),
  );
  const [first, ...rest] = inserts;
  if (first) await db.batch([first, ...rest]);
}

/**
 * Creates the demo accounts. Those of a copy that was restored, or whose first start was killed, get new passwords: nobody
 * knows the old ones.
 */
async function seedPeople(
  db: Db,
  options: Pick<Env, "SESSION_SECRET">,
): Promise<Pick<Demo, "admin" | "agent" | "customer">> {
  const admin = await person(db, "admin", "Demo Admin");
  const agent = await person(db, "agent", "Demo Agent");
  const customer = await person(db, "customer", "Demo Customer");
  const [paid] = await db.select({ id: ledger.id }).from(ledger).where(eq(ledger.userId, customer.userId)).limit(1);
  if (!paid) await credit(db, customer.userId, { kind: "topup", amount: CUSTOMER_BALANCE, note: "Demo balance" });
  const created = await createApiKey(db, options, customer.userId, {
    name: "Demo key",
    scopes: ["read", "order"],
    sessionId: null,
  });
  if (!created.ok) throw new Error(created.reason);
  return { admin: admin.login, agent: agent.login, customer: { ...customer.login, apiKey: created.key } };
}

async function person(db: Db, role: Role, fullName: string): Promise<{ userId: string; login: Login }> {
  const login = { email: `${role}@growline.example`, password: randomBytes(9).toString("base64url") };
  const created = await createAccount(db, { ...login, fullName, role, emailConfirmedAt: Date.now() });
  if (created.ok) return { userId: created.userId, login };
  const passwordHash = await hashPassword(login.password, unlimitedCaller());
  const known = db.update(users).set({ passwordHash }).where(eq(users.email, login.email));
  const [user] = await known.returning({ id: users.id });
  if (!user) throw new Error(`${login.email}: ${created.reason}`);
  return { userId: user.id, login };
}
