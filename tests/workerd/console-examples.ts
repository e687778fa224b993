import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { type AskDatabase, consolePaths } from "#tests/operator/console-paths.ts";
import { pagesWithLoader } from "./all-routes.ts";
import { newVisitor, roomOf } from "./support-visitor.ts";

const ask: AskDatabase = (statement, database) =>
  env[database].prepare(statement).first<Record<string, unknown>>().then(onlyValue);

function onlyValue(row: Record<string, unknown> | null): unknown {
  return Object.values(row ?? {})[0] ?? null;
}

/** Returns an address of each page of the console, by its pattern, once the test has stored what they show. */
export function consolePages(): Promise<Map<string, string>> {
  const patterns = pagesWithLoader().filter((pattern) => /^\/admin(\/|$)/.test(pattern));
  return consolePaths(patterns, ask);
}

/** Stores an example of each thing that has a page of its own, unless there is one. Needs an order. */
export async function storeConsoleExamples(): Promise<void> {
  const conversations = () => ask("select count(*) from support_sessions", "DB_SUPPORT");
  if ((await conversations()) === 0) {
    const { sessionId } = await newVisitor();
    await runDurableObjectAlarm(roomOf(sessionId));
  }
  const serviceId = await ask("select max(service_id) from orders", "DB");
  const detail = { change: "On sale", field: "enabled", count: 1, services: { [String(serviceId)]: [false, true] } };
  await env.DB.batch([
    env.DB.prepare(
      "insert or ignore into tiers (id, slot, name, kind, basis_points, created_at, updated_at) values (1, 1, 'Tier', 'percent', 100, 1, 1)",
    ),
    env.DB.prepare(
      `insert into redeem_batches (name, amount, count, max_uses, created_at)
        select 'b', 1, 1, 1, 1 where not exists (select * from redeem_batches)`,
    ),
    env.DB.prepare(
      "insert or ignore into checkouts (id, user_id, amount, created_at, updated_at) select 'payment', user_id, 1, 1, 1 from orders limit 1",
    ),
    env.DB.prepare(`insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, detail, created_at)
      values ('staff', 'Grace', 'services.change', 'service', 'several', ?, 1)`).bind(JSON.stringify(detail)),
  ]);
}
