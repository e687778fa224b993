import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { seal } from "#app/crypto/seal.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { ledger, providers, type Role, services, users } from "#app/db/schema.server.ts";
import { createApiKey } from "#app/orders/api/api-keys.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-calls.server.ts";
import { linkKindOf } from "#app/orders/rules/links/service-links.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";
import { statedRefillDays } from "#app/orders/terms/refill-terms.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { CommandError } from "#tools/run/command-line.ts";
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
  },
): Promise<Demo> {
  const db = connect(database);
  const file = join(options.stateDir, "demo.json");
  await seedProvider(db, options);
  const people = readDemo(options.stateDir) ?? (await seedPeople(db, options.stateDir));
  const demo: Demo = {
    url: options.url,
    admin: people.admin,
    agent: people.agent,
    customer: people.customer,
    google: options.google,
    provider: { url: options.providerUrl },
  };
  replaceFile(file, `${JSON.stringify(demo, null, 2)}\n`);
  rmSync(planFile(options.stateDir), { force: true });
  return demo;
}

/** Returns the demo accounts of the copy in `stateDir`, or null if it has not finished its first start. */
export function readDemo(stateDir: string): Demo | null {
  const advice = `Delete ${stateDir} to start over.`;
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
 * Creates the demo accounts. Their passwords are kept in a file first: if this start is killed here, the next one goes on
 * with its accounts.
 */
async function seedPeople(db: Db, stateDir: string): Promise<Pick<Demo, "admin" | "agent" | "customer">> {
  const plan = planFile(stateDir);
  const planned = readJsonFile(plan, `Delete ${stateDir} to start over.`) as Record<Role, string> | null;
  const passwords = planned ?? { admin: newPassword(), agent: newPassword(), customer: newPassword() };
  if (!planned) replaceFile(plan, JSON.stringify(passwords));
  const person = async (role: Role, fullName: string) => {
    const [email, password] = [`${role}@growline.example`, passwords[role]];
    const created = await createAccount(db, { email, password, fullName, role, emailConfirmedAt: Date.now() });
    if (!created.ok && !(planned && created.reason === "email_taken")) {
      throw new CommandError(`${email} exists, but ${stateDir} has no demo.json: delete the folder to start over.`);
    }
    const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
    if (!user) throw new Error(`${email} was not stored`);
    return { userId: user.id, login: { email, password } };
  };
  const admin = await person("admin", "Demo Admin");
  const agent = await person("agent", "Demo Agent");
  const customer = await person("customer", "Demo Customer");
  const [paid] = await db.select({ id: ledger.id }).from(ledger).where(eq(ledger.userId, customer.userId)).limit(1);
  if (!paid) await credit(db, customer.userId, { kind: "topup", amount: CUSTOMER_BALANCE, note: "Demo balance" });
  const key = await createApiKey(db, customer.userId, { name: "Demo key", scopes: ["read", "order"] });
  if (!key.ok) throw new Error(key.reason);
  return { admin: admin.login, agent: agent.login, customer: { ...customer.login, apiKey: key.key } };
}

function planFile(stateDir: string): string {
  return join(stateDir, "demo-passwords.json");
}

function newPassword(): string {
  return randomBytes(9).toString("base64url");
}
