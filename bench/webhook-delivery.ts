import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { parseArgs } from "node:util";
import { sql } from "drizzle-orm";
import { newSession } from "#app/accounts/session/auth-sessions.server.ts";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { workerdBelow } from "#tests/product/local-copy.ts";
import { BENCH_ACCOUNT, ENCRYPTION_KEYS, startBenchWorker } from "./bench-worker.ts";
import { reportFigures } from "./figures.ts";

/**
 * `npm run bench -- webhooks`: delivers queued webhooks to endpoints that respond after 50 ms, beside one that never responds
 * and one that returns 500, while workerd is killed. Fails below 100,000 deliveries an hour, or if one was lost, out of order or sent again under another id.
 *
 * `--deliveries 20000 --endpoints 20 --kills 3`
 */

const { values: options } = parseArgs({
  options: {
    deliveries: { type: "string", default: "20000" },
    endpoints: { type: "string", default: "20" },
    kills: { type: "string", default: "3" },
  },
});
const [DELIVERIES, ENDPOINTS, KILLS] = [options.deliveries, options.endpoints, options.kills].map(Number) as [
  number,
  number,
  number,
];
const GOAL_PER_HOUR = 100_000;
const LATENCY_MS = 50;
const PER_ACCOUNT = 5;
const POLL_MS = 200;
const ENV = { ENVIRONMENT: "local", ENCRYPTION_KEYS };

type Kind = "healthy" | "hanging" | "failing";
type Shop = { kind: Kind; id: string; received: { event: number; messageId: string }[] };

const shops: Shop[] = Array.from({ length: ENDPOINTS }, (_, n) => ({
  kind: n === 0 ? "hanging" : n === 1 ? "failing" : "healthy",
  id: "",
  received: [],
}));
const receiver = await startReceiver();
const worker = await startBenchWorker({});
const perEndpoint = Math.floor(DELIVERIES / ENDPOINTS);
const healthy = shops.filter(({ kind }) => kind === "healthy");
const expected = perEndpoint * healthy.length;
try {
  const db = connect(await worker.database());
  await addEndpoints(db);
  await queue(db);
  const started = Date.now();
  const tookMs = await untilDelivered(started);
  const perHour = Math.round((expected / tookMs) * HOUR_MS);
  const repeats = healthy.reduce((sum, { received }) => sum + received.length - perEndpoint, 0);
  const faults = healthy.filter((shop) => !isInOrder(shop)).length;
  const attempts = (kind: Kind) => shops.find((shop) => shop.kind === kind)?.received.length ?? 0;
  console.log(`the hanging endpoint got ${attempts("hanging")} attempts, the failing one ${attempts("failing")}`);
  const beside = `of ${expected} webhooks, with ${KILLS} kills`;
  reportFigures([
    // The endpoints' latency limits it, so it has no baseline on this machine.
    { name: `deliveries ${beside}`, value: perHour, unit: "/h", goal: { atLeast: GOAL_PER_HOUR } },
    { name: `sent again ${beside}`, value: repeats, unit: "", goal: { atMost: KILLS * healthy.length } },
    { name: "endpoints with lost or unordered webhooks", value: faults, unit: "", goal: { atMost: 0 } },
  ]);
} finally {
  await worker.close();
  receiver.close();
  receiver.closeAllConnections();
}
process.exit();

async function addEndpoints(db: Db): Promise<void> {
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  let owner = { userId: "", sessionId: "" };
  for (const [n, shop] of shops.entries()) {
    if (n % PER_ACCOUNT === 0) {
      const created = await createAccount(db, { ...BENCH_ACCOUNT, email: `bench${n}@growline.example` });
      if (!created.ok) throw new Error(created.reason);
      const session = newSession(db, { userId: created.userId, visit: { userAgent: "", previousSession: null } });
      await session.start;
      owner = { userId: created.userId, sessionId: session.id };
    }
    const created = await createEndpoint(db, ENV as unknown as Env, owner, `${base}/${n}`);
    if (!created.ok) throw new Error(created.reason);
    shop.id = created.id;
  }
}

/** Queues the events of all endpoints alternately, as orders of many customers close. */
async function queue(db: Db): Promise<void> {
  await db.run(sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${perEndpoint - 1})
    insert into webhook_deliveries (message_id, endpoint_id, event, body, next_attempt_at, created_at)
    select 'msg_' || lower(hex(randomblob(16))), e.id, 'order.completed',
      json_object('type', 'order.completed', 'timestamp', '2026-11-22T10:15:00.000Z', 'data', json_object('order', i)), 1, 1
    from n, webhook_endpoints as e order by i`);
}

/** Waits until the healthy endpoints have everything, and kills workerd on the way. Returns the time in ms. */
async function untilDelivered(started: number): Promise<number> {
  let kills = 0;
  for (;;) {
    const done = healthy.reduce((sum, { received }) => sum + new Set(received.map(({ event }) => event)).size, 0);
    if (done === expected) return Date.now() - started;
    if (kills < KILLS && done > (expected * (kills + 1)) / (KILLS + 1)) {
      for (const pid of workerdBelow(process.pid)) process.kill(pid, "SIGKILL");
      kills++;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Returns whether each event came after the one before it, and repeats had the same id. */
function isInOrder({ received }: Shop): boolean {
  return received.every(({ event, messageId }, n) => {
    const before = received[n - 1];
    if (event === before?.event) return messageId === before.messageId;
    return event === (before?.event ?? -1) + 1;
  });
}

async function startReceiver() {
  const server = createServer(async (request, response) => {
    const shop = shops[Number(request.url?.slice(1))];
    const body = await new Response(Readable.toWeb(request) as ReadableStream).text().catch(() => null);
    // A kill cut the request off.
    if (body === null) return;
    const { data } = JSON.parse(body) as { data: { order: number } };
    shop?.received.push({ event: data.order, messageId: String(request.headers["webhook-id"]) });
    if (shop?.kind === "hanging") return;
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    response.writeHead(shop?.kind === "failing" ? 500 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
