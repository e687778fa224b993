import { KEYS_PER_CUSTOMER, type PlaceEvent, placesOf } from "../scripts/plan-orders.ts";
import type { Script } from "../scripts/script.ts";
import { LIMIT_PERCENT } from "./catalog-model.ts";
import { type ApiKey, createKey } from "./customers/api-key.ts";
import { providerCatalog } from "./outside/provider-catalog.ts";
import { startWorldProvider, type WorldProvider } from "./outside/world-provider.ts";
import { type Person, signUpPerson } from "./people.ts";
import { openShop, type Shop } from "./shop.ts";
import { canaryOf, linkOfUsername, type Site } from "./site.ts";

/** Micro-units of the currency. Most customers get so much; it is more than their orders cost. */
const OPENING_BALANCE = 100_000_000_000;
/** Micro-units per 1,000 pieces. It makes charges that have to be rounded. */
const RATE = 1_234_567;
/** So long an order of the providers' own services can be refilled after its end. */
export const REFILL_DAYS = 1;

export type Customer = {
  person: Person;
  userId: string;
  /** Micro-units that staff gave them at the beginning. */
  opening: number;
  /** The keys that they use. One that ends is replaced here before. */
  keys: ApiKey[];
  /** They asked for the deletion of their account, and do nothing more. */
  hasLeft: boolean;
  /** How often they logged out, and how often they were back in after it. */
  logOuts: { begun: number; over: number };
};
export type World = {
  /** `subscriptionId` is 0 in a script without subscriptions. */
  providers: (WorldProvider & { id: number; serviceId: number; subscriptionId: number })[];
  customers: Customer[];
  admin: Person;
  /** The provider whose catalog changes, and its services. Null in a script without it. */
  shop: Shop | null;
  rate: number;
  /** Micro-units for so many pieces. */
  chargeOf: (pieces: number) => number;
  linkOf: (order: string) => string;
  /** Every order that anybody tries to place. */
  places: PlaceEvent[];
  /** Simulated ms since 1970. */
  startedAt: number;
  /** Returns the simulated ms since the script's beginning. */
  now: () => number;
  close(): Promise<void>;
};

/** Fills an empty product with the people, providers and services of a script, through its own pages where it has some. */
export async function openWorld(site: Site, script: Script): Promise<World> {
  const placers = new Map(placesOf(script.events).map(({ name, customer }) => [name, customer] as const));
  const linkOf = (order: string) => linkOfUsername(`${order}.${canaryOf(placers.get(order) ?? -1)}`);
  const plans = new Map(placesOf(script.events).map(({ name, plan }) => [linkOf(name), plan] as const));
  const admin = await signUpPerson(site, "admin", { isStaff: true });
  await confirm(site, admin);
  await run(site, "update profiles set role = 'admin' where email = ?", admin.email);
  const startedAt = site.now();
  const now = () => site.now() - startedAt;
  const providers: World["providers"] = [];
  let shop: Shop | null = null;
  for (const [n, plan] of script.providers.entries()) {
    const isShop = n === script.shop;
    const catalog = isShop ? providerCatalog() : undefined;
    const provider = await startWorldProvider({ plan, now, planOf: (link) => plans.get(link), catalog });
    const name = `Provider ${n}`;
    await submit(admin, "/admin/providers", {
      intent: "provider",
      once: crypto.randomUUID(),
      name,
      apiUrl: provider.url,
      key: provider.key,
      enabled: "on",
      riseLimit: String(LIMIT_PERCENT),
      concurrentCalls: "5",
      callsPerMinute: "",
    });
    const [row] = await site.query<{ id: number }>("select id from providers where name = ?", name);
    if (!row) throw new Error(`${name} was not stored`);
    const serviceId = await addService(site, { name: `Service ${n}`, providerId: row.id, providerServiceId: "1" });
    const hasSubscriptions = placesOf(script.events).some(({ subscription }) => subscription);
    const subscription = {
      name: `Subscription ${n}`,
      providerId: row.id,
      providerServiceId: "2",
      type: "Subscriptions",
    };
    const subscriptionId = hasSubscriptions ? await addService(site, subscription) : 0;
    providers.push({ ...provider, id: row.id, serviceId, subscriptionId });
    if (catalog) shop = await openShop(site, admin, { provider: n, providerId: row.id, catalog });
  }
  const customers: Customer[] = [];
  for (let n = 0; n < script.customers + (script.poorCustomers ?? 0); n++) {
    const opening = n < script.customers ? OPENING_BALANCE : 0;
    customers.push(await openCustomer(site, admin, { n, opening }));
  }
  return {
    providers,
    customers,
    admin,
    shop,
    rate: RATE,
    chargeOf: (pieces) => Math.ceil((RATE * pieces) / 1000),
    linkOf,
    places: placesOf(script.events),
    startedAt,
    now,
    close: async () => void (await Promise.all(providers.map((provider) => provider.close()))),
  };
}

/** Returns our id. Older commits know no types. */
async function addService(
  site: Site,
  {
    name,
    providerId,
    providerServiceId,
    type,
  }: { name: string; providerId: number; providerServiceId: string; type?: string },
): Promise<number> {
  const names = await site.query<{ name: string }>("select name from pragma_table_info('services')");
  const service = {
    network: "Instagram",
    category: "World",
    name,
    rate: RATE,
    min: 1,
    max: 1_000_000,
    dripfeed: 1,
    refill: 1,
    cancel: 1,
    provider_id: providerId,
    provider_service_id: providerServiceId,
    ...(type !== undefined && { type }),
    ...(names.some((column) => column.name === "refill_days") && { refill_days: REFILL_DAYS }),
  };
  const columns = Object.keys(service);
  await run(site, `insert into services (${columns}) values (${columns.map(() => "?")})`, ...Object.values(service));
  const [stored] = await site.query<{ id: number }>("select max(id) as id from services");
  return stored?.id ?? 0;
}

async function openCustomer(
  site: Site,
  admin: Person,
  { n, opening }: { n: number; opening: number },
): Promise<Customer> {
  const name = `customer-${n}`;
  const person = await signUpPerson(site, name, { canary: canaryOf(n) });
  await confirm(site, person);
  const [row] = await site.query<{ id: string }>("select id from users where email = ?", person.email);
  const userId = row?.id ?? "";
  if (opening > 0) {
    await submit(admin, `/admin/customers/${userId}`, {
      intent: "adjust",
      once: crypto.randomUUID(),
      direction: "topup",
      amount: String(opening / 1_000_000),
      reason: "The world begins",
    });
  }
  const customer: Customer = { person, userId, opening, keys: [], hasLeft: false, logOuts: { begun: 0, over: 0 } };
  for (let key = 0; key < KEYS_PER_CUSTOMER; key++) {
    const created = await createKey(site, customer);
    if (!created) throw new Error(`no API key for ${name}`);
    customer.keys.push(created);
  }
  return customer;
}

async function confirm(site: Site, { email }: Person): Promise<void> {
  const columns = await site.query<{ name: string }>("select name from pragma_table_info('users')");
  if (!columns.some(({ name }) => name === "email_confirmed_at")) return;
  await run(site, "update users set email_confirmed_at = 1 where email = ?", email);
}

async function run(site: Site, sql: string, ...values: unknown[]): Promise<void> {
  await site.query(sql, ...values);
}

async function submit(person: Person, path: string, fields: Record<string, string>): Promise<void> {
  const { status, html } = await person.submit(path, fields);
  if (status >= 400) throw new Error(`${path}: ${status} ${errorsIn(html)}`);
}

/** Returns the errors beside the fields of a page. */
function errorsIn(html: string): string {
  return [...html.matchAll(/id="[^"]*error[^"]*"[^>]*>([^<]*)/g)].map(([, text]) => text).join("; ");
}
