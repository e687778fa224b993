import { env } from "cloudflare:workers";
import { DAY_MS } from "#app/time.ts";
import { service } from "./customer.ts";
import { fillInbox } from "./inbox-fill.ts";
import { sandboxProvider } from "./sandbox-service.ts";

/** A history in which nothing is left to do, for tests that count what a job reads. */

const PROVIDERS = 10;
const ACCOUNTS = 1000;
/** Orders per batch, to keep each statement far below D1's limit of 30 seconds. */
const CHUNK = 100_000;

type Start = { serviceId: number; providerIds: number[] };

/** Creates providers, a service, and accounts with a balance and a webhook endpoint. Returns what an order needs. */
export async function startHistory(): Promise<Start> {
  const providerIds: number[] = [];
  for (let n = 0; n < PROVIDERS; n++) providerIds.push(await sandboxProvider());
  const serviceId = await service({ providerId: providerIds[0] ?? 0, providerServiceId: "1" });
  await env.DB.batch([
    fill(ACCOUNTS, "users (id, email, created_at)", "'user' || i, 'user' || i || '@test.example', 1"),
    fill(
      ACCOUNTS,
      "wallets (user_id, balance, low_balance_threshold, low_balance_notified)",
      "'user' || i, 1000000, iif(i % 3 = 0, null, 500000 + i % 2 * 1000000), i % 2",
    ),
    fill(
      ACCOUNTS,
      "ledger (user_id, kind, amount, balance_after, created_at)",
      "'user' || i, 'topup', 1000000, 1000000, 1",
    ),
    run("insert into webhook_endpoints (id, user_id, url, secret, created_at) values ('idle', 'user1', '', '', 1)"),
  ]);
  return { serviceId, providerIds };
}

/**
 * Adds finished orders with everything they leave behind, and a tenth as many rows of every other table that grows.
 * Nothing in it has expired. Can be called again to add more.
 */
export async function fillHistory(
  start: Start,
  { orders, conversations }: { orders: number; conversations: number },
): Promise<void> {
  for (let done = 0; done < orders; done += CHUNK) await addOrders(Math.min(CHUNK, orders - done), start);
  await addOtherRows(Math.ceil(orders / 10), start);
  const { results } = await env.DB_SUPPORT.prepare("select count(*) as known from support_sessions").all<{
    known: number;
  }>();
  await fillInbox(env.DB_SUPPORT, { from: results[0]?.known ?? 0, conversations, messagesEach: 1, agents: ["agent"] });
}

/** Inserts as many expired rows into each table that is pruned, where the oldest are. */
export async function addExpired(rows: number): Promise<void> {
  await env.DB.batch([
    fill(
      rows,
      "auth_sessions (id, user_id, expires_at, created_at, last_used_at, verified_at)",
      "'old' || i, 'user1', i, i, i, i",
    ),
    fill(
      rows,
      "auth_sessions (id, user_id, expires_at, created_at, last_used_at, revoked_at, verified_at)",
      "'ended' || i, 'user1', 9e15, i, i, i, i",
    ),
    fill(
      rows,
      "api_keys (id, user_id, name, digest, prefix, revoked_at, created_at)",
      "'ended' || i, 'user1', 'Old', 'ended' || i, 'gl_live_', i, i",
    ),
    fill(rows, "known_devices (user_id, device_digest, first_seen_at, last_seen_at)", "'user1', 'old' || i, i, i"),
    fill(rows, "new_device_alerts (token_digest, user_id, created_at, expires_at)", "'old' || i, 'user1', i, i"),
    fill(rows, "security_events (id, user_id, kind, created_at)", "i, 'user1', 'log_in', i"),
    fill(rows, "password_resets (token_digest, user_id, expires_at)", "'old' || i, 'user1', i"),
    fill(rows, "email_changes (user_id, token_digest, new_email, expires_at)", "'user' || i, 'old' || i, 'a@b.c', i"),
    fill(rows, "rate_limits (key, count, resets_at)", "'old' || i, 1, i"),
    fill(
      rows,
      "webhook_deliveries (id, message_id, endpoint_id, event, body, delivered_at, created_at)",
      "i, 'old' || i, 'idle', 'order.completed', '', 1, i",
    ),
    fill(
      rows,
      "emails (id, user_id, recipient, kind, status, expires_at, created_at)",
      "'old' || i, 'user1', 'a@b.c', 'transcript', 'sent', 1, i",
    ),
    fill(
      rows,
      "provider_log (id, provider_id, action, response, created_at)",
      "i, (select id from providers), 'add', '', i",
    ),
    fill(
      rows,
      "catalog_changes (id, provider_id, provider_service_id, kind, created_at)",
      "i, (select id from providers), '1', 'added', i",
    ),
    fill(
      rows,
      "gmail_oauth_states (state_digest, user_id, browser_digest, code_verifier, mode, expires_at)",
      "'old' || i, 'user1', '', '', 'popup', i",
    ),
    fill(
      rows,
      "checkouts (id, user_id, amount, status, created_at, updated_at)",
      "'old' || i, 'user1', 1, 'expired', i, i",
    ),
  ]);
}

async function addOrders(count: number, { serviceId, providerIds }: Start): Promise<void> {
  const { results } = await env.DB.prepare("select coalesce(max(id), 0) as last from orders").all<{ last: number }>();
  const added = `from orders where id > ${results[0]?.last ?? 0}`;
  await env.DB.batch([
    run(
      `${numbers(count)} insert into orders (user_id, service_id, type, link, link_key, quantity, charge, status, remains,
         idempotency_key, request_digest, source, fulfillment, provider_id, provider_service_id, provider_order_id,
         created_at, updated_at)
       select 'user' || (1 + i % ${ACCOUNTS}), ?1, 'Default', 'https://instagram.com/p/' || i, i, 1000, 0, 'Completed', 0,
         ?3 || i, '', 'api', 'accepted', json_extract(?2, '$[' || (i % 10) || ']'), '1', ?3 || i, i, i from n`,
      serviceId,
      JSON.stringify(providerIds),
      crypto.randomUUID(),
    ),
    // Amounts of 0, so that every balance stays as it is.
    run(
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
       select user_id, id, 'charge', -charge, 1000000, created_at ${added}`,
    ),
    run(
      `insert into provider_log (provider_id, order_id, action, response, created_at)
       select provider_id, id, 'add', '{"order":1}', ?1 ${added}`,
      Date.now(),
    ),
    run(
      `insert into refills (order_id, user_id, status, provider_id, provider_refill_id, fulfillment, created_at, updated_at)
       select id, user_id, 'Completed', provider_id, 'r' || id, 'accepted', 1, 1 ${added} and id % 10 = 5`,
    ),
    run(
      `insert into cancellations (order_id, user_id, status, provider_id, fulfillment, created_at, updated_at)
       select id, user_id, 'Rejected', provider_id, 'rejected', 1, 1 ${added} and id % 10 = 7`,
    ),
    run(
      `insert into webhook_deliveries (message_id, endpoint_id, event, body, delivered_at, created_at)
       select 'idle' || id, 'idle', 'order.completed', '', 1, ?1 ${added}`,
      Date.now(),
    ),
  ]);
}

async function addOtherRows(count: number, { serviceId, providerIds }: Start): Promise<void> {
  const batch = crypto.randomUUID();
  const [now, later] = [Date.now(), Date.now() + 300 * DAY_MS];
  const id = `'${batch}' || i`;
  const user = `'user' || (1 + i % ${ACCOUNTS})`;
  await env.DB.batch([
    fill(
      count,
      "auth_sessions (id, user_id, refresh_digest, expires_at, created_at, last_used_at, revoked_at, verified_at)",
      `${id}, ${user}, ${id}, ${later}, ${now}, ${now}, iif(i % 3 = 0, ${now}, null), ${now}`,
    ),
    fill(
      count,
      "known_devices (user_id, device_digest, first_seen_at, last_seen_at)",
      `${user}, ${id}, ${now}, ${now}`,
    ),
    fill(
      count,
      "new_device_alerts (token_digest, user_id, created_at, expires_at)",
      `${id}, ${user}, ${now}, ${later}`,
    ),
    fill(count, "security_events (user_id, kind, created_at)", `${user}, 'log_in', ${now}`),
    fill(count, "password_resets (token_digest, user_id, expires_at)", `${id}, ${user}, ${later}`),
    fill(count, "rate_limits (key, count, resets_at)", `${id}, 1, ${later}`),
    fill(
      count,
      "audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at)",
      `'agent', 'Agent', 'order.refund', 'order', i, ${now}`,
    ),
    fill(count, "audit_subjects (entry_id, subject_type, subject_id)", "(select max(id) from audit_log), 'service', i"),
    fill(
      count,
      "customer_notes (user_id, body, author_id, author_name, created_at)",
      `${user}, 'A note', 'agent', 'Agent', ${now}`,
    ),
    fill(
      count,
      "emails (id, user_id, recipient, kind, status, expires_at, created_at, finished_at)",
      `${id}, ${user}, 'user@test.example', 'password_reset', iif(i % 10 = 0, 'failed', 'sent'), 1, ${now}, 1`,
    ),
    fill(
      count,
      "uploads (id, user_id, key, name, content_type, size, created_at)",
      `${id}, ${user}, ${id}, 'a.png', 'image/png', 1, ${now}`,
    ),
    fill(
      count,
      "pending_uploads (id, user_id, key, r2_upload_id, name, content_type, size, part_size, created_at, updated_at)",
      `${id}, ${user}, ${id}, 'r2', 'a.png', 'image/png', 1, 1, ${now}, ${now}`,
    ),
    fill(count, "upload_parts (upload_id, number, etag, size)", `${id}, 1, '', 1`),
    fill(
      count,
      "gmail_tokens (user_id, access_token, refresh_token, email_address, created_at)",
      `${id}, 'sealed', 'sealed', ${id}, ${now}`,
    ),
    fill(
      count,
      "gmail_sync_status (user_id, last_sync_at, auto_sync, next_sync_at)",
      `${id}, ${now}, i % 2, iif(i % 2, ${later}, null)`,
    ),
    fill(count, "gmail_messages (id, user_id, from_email, internal_date)", `${id}, ${id}, 'a@b.c', ${now}`),
    fill(
      count,
      "gmail_oauth_states (state_digest, user_id, browser_digest, code_verifier, mode, expires_at)",
      `${id}, ${user}, '', '', 'popup', ${later}`,
    ),
    fill(
      count,
      "mass_orders (user_id, idempotency_key, request_digest, placed, skipped, charge, created_at)",
      `${user}, ${id}, '', 1, 0, 1, ${now}`,
    ),
    fill(
      count,
      "checkouts (id, user_id, amount, status, created_at, updated_at)",
      `${id}, ${user}, 1, 'expired', ${now}, ${now}`,
    ),
    fill(
      count,
      "catalog_changes (provider_id, provider_service_id, kind, created_at)",
      `${providerIds[0]}, '1', 'added', ${now}`,
    ),
    fill(count, "favorites (user_id, service_id, created_at)", `${user}, ${serviceId}, ${now}`, "or ignore"),
  ]);
}

function fill(count: number, into: string, values: string, conflict = ""): D1PreparedStatement {
  return run(`${numbers(count)} insert ${conflict} into ${into} select ${values} from n`);
}

function numbers(count: number): string {
  return `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
}

function run(query: string, ...values: unknown[]): D1PreparedStatement {
  return env.DB.prepare(query).bind(...values);
}
