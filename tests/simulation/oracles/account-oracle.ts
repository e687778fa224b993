import { MINUTE } from "../scripts/simulated-durations.ts";
import { type AccountWorld, worksWith } from "../world/customers/account-world.ts";
import { callPanel, type PlacedOrder } from "../world/customers/order-customer.ts";
import type { PryingWorld } from "../world/customers/prying-world.ts";
import type { WorldReceiver } from "../world/outside/world-receiver.ts";
import type { Site } from "../world/site.ts";
import { FINAL, type OrderRow, type Violation } from "./violation.ts";

/** The calls that were in flight when an account was deleted end within so long. */
const IN_FLIGHT = 5 * MINUTE;

/** Checks that ended sessions act no more, and that nothing is left of a deleted person that docs/personal-data.md removes. */
export async function judgeAccounts(
  site: Site,
  { deleted, endedCookies, survivors }: AccountWorld,
  { successes }: PryingWorld,
  facts: { placed: PlacedOrder[]; rows: OrderRow[]; receiver: WorldReceiver },
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const broken = (rule: string, subject: string, world: unknown, product: unknown) =>
    violations.push({ rule, subject, world, product });
  for (const survivor of survivors) broken("an ended session acts no more", survivor, null, null);
  for (const { cookie, why } of endedCookies) {
    if (await worksWith(site, cookie)) broken("an ended session acts no more", why, "at the end", null);
  }
  for (const { what, response } of successes) broken("nobody acts on what is another's", what, null, response);
  for (const { customer, index, at } of deleted) {
    const { person } = customer;
    for (const key of customer.keys) {
      const body = await callPanel(site, { ...customer, keys: [key] }, { action: "balance" });
      if (JSON.stringify(body).includes("balance"))
        broken("a deleted account's key acts no more", person.email, at, body);
    }
    for (const { table, rows } of await tracesOf(site, person.canary)) {
      broken("nothing of a deleted person is left", person.email, table, rows);
    }
    const files = await site.filesWith(person.canary);
    if (files.length > 0) broken("no file of a deleted person is left", person.email, at, files);
    const late = facts.receiver.arrivals.filter(
      (arrival) => arrival.path.endsWith(person.canary) && arrival.at > at + IN_FLIGHT,
    );
    if (late.length > 0) broken("a deleted account gets no webhooks", person.email, at, late.slice(0, 2));
    for (const order of facts.placed) {
      if (order.event.customer !== index || order.id === null) continue;
      const row = facts.rows.find(({ id }) => id === order.id);
      const hasEnded =
        row && (FINAL.includes(row.status) || row.fulfillment === "held" || row.fulfillment === "accepted");
      if (!hasEnded || row.link !== "")
        broken("a deleted person's order ends, without its link", order.event.name, at, row);
    }
  }
  return violations;
}

/** Returns the tables of both databases in which a row has the word in one of its columns. */
async function tracesOf(site: Site, word: string): Promise<{ table: string; rows: unknown }[]> {
  const traces: { table: string; rows: unknown }[] = [];
  for (const query of [site.query, site.querySupport]) {
    const tables = await query<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not like '%\\_cf%' escape '\\' and name not like 'sqlite%' and sql not like 'create virtual%'",
    );
    for (const { name } of tables) {
      const columns = await query<{ name: string }>("select name from pragma_table_info(?)", name);
      const any = columns.map((column) => `instr(cast("${column.name}" as text), ?1) > 0`).join(" or ");
      if (any === "") continue;
      const found = await query<object>(`select * from "${name}" where ${any} limit 2`, word).catch(() => []);
      if (found.length > 0) traces.push({ table: name, rows: found });
    }
  }
  return traces;
}
