import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONCURRENT_CALLS } from "#app/orders/rules/call-limits.ts";
import { startLocalCopy } from "#tests/product/local-copy.ts";

/**
 * `npm run faults:orders [-- ORDERS KILLS]`: many connections place orders with random retries and repeated keys while
 * workerd is killed. Afterwards every acknowledged order exists once, was sent at most once, no more are held than were in
 * flight at a kill, and the ledger is clean.
 */

const root = join(import.meta.dirname, "..", "..");
const [total = 10_000, kills = 10] = process.argv.slice(2).map(Number);
const CONNECTIONS = 64;
const REPEAT_SHARE = 0.2;
const PIECES = 20;
const RETRY_AFTER_MS = 50;

// All requests use one key.
const copy = await startLocalCopy({ API_REQUESTS_PER_MINUTE: "1000000" });
let failed = false;
try {
  const { apiKey } = copy.demo.customer;
  const services = (await panel({ action: "services" })) as { service: number; name: string; rate: string }[];
  const service = services.find(({ name }) => name === "Instagram likes");
  if (!service) throw new Error("no service to order");
  const acknowledged = new Map<string, number>();
  const counts = { requests: 0, retries: 0, repeats: 0, different: 0 };
  const started = Date.now();
  let next = 0;
  let killed = 0;

  const connection = async () => {
    while (next < total) {
      const key = `order-${next++}`;
      const id = await place(key);
      acknowledged.set(key, id);
      if (Math.random() < REPEAT_SHARE) {
        counts.repeats++;
        if ((await place(key)) !== id) counts.different++;
      }
      if (acknowledged.size >= ((killed + 1) * total) / (kills + 1) && killed < kills) {
        killed++;
        copy.killWorkerd();
      }
    }
  };

  const place = async (key: string): Promise<number> => {
    for (;;) {
      counts.requests++;
      try {
        const response = await fetch(`${copy.url}/api/v1/create_order`, {
          method: "POST",
          headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", "Idempotency-Key": key },
          body: JSON.stringify({ service: service.service, link: `https://instagram.com/p/${key}`, quantity: PIECES }),
          signal: AbortSignal.timeout(15_000),
        });
        if (response.status === 201) return ((await response.json()) as { id: number }).id;
        if (response.status < 500) throw new RangeError(`${response.status} ${await response.text()}`);
      } catch (error) {
        if (error instanceof RangeError) throw error;
      }
      counts.retries++;
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS * (1 + Math.random())));
    }
  };

  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const seconds = (Date.now() - started) / 1000;

  // Stops the copy, because another process reads the database.
  await copy.stop();
  const [{ stored, keys, negative }] = query<{ stored: number; keys: number; negative: number }>(
    "select count(*) as stored, count(distinct idempotency_key) as keys, (select count(*) from ledger where balance_after < 0) as negative from orders",
  );
  const ids = new Map(
    query<{ id: number; idempotency_key: string }>("select id, idempotency_key from orders").map((row) => [
      row.idempotency_key,
      row.id,
    ]),
  );
  const lost = [...acknowledged].filter(([key, id]) => ids.get(key) !== id).length;
  // Counts the orders in flight at a kill. The leases of some may still run.
  const [{ cutOff, waiting }] = query<{ cutOff: number; waiting: number }>(
    "select sum(fulfillment in ('held', 'submitting')) as cutOff, sum(fulfillment = 'queued') as waiting from orders",
  );
  const sent = readFileSync(join(copy.stateDir, "sandbox-orders.jsonl"), "utf8").split("\n").filter(Boolean);
  const links = new Set(sent.map((line) => (JSON.parse(line) as { link: string }).link));

  console.log(`${total} orders, ${CONNECTIONS} connections, workerd killed ${killed} times, ${seconds.toFixed(1)} s`);
  console.log(`requests ${counts.requests}, retried ${counts.retries}, repeated ${counts.repeats}`);
  console.log(
    `acknowledged ${acknowledged.size}, stored ${stored}, keys ${keys}, lost ${lost}, with another response ${counts.different}`,
  );
  console.log(
    `sent to the provider ${sent.length}, of those duplicates ${sent.length - links.size}, entries with a negative balance ${negative}`,
  );
  console.log(
    `held or about to be ${cutOff}, of ${(killed + 1) * DEFAULT_CONCURRENT_CALLS} that can be in flight at the kills and the stop; queued ${waiting}`,
  );
  const ledger = execFileSync(process.execPath, ["tools/data/run-ledger-check.ts"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, STATE_DIR: copy.stateDir },
  });
  console.log(ledger.trim());
  failed =
    stored !== total ||
    keys !== total ||
    lost > 0 ||
    counts.different > 0 ||
    sent.length !== links.size ||
    cutOff > (killed + 1) * DEFAULT_CONCURRENT_CALLS ||
    negative > 0;
} catch (error) {
  failed = true;
  console.error(error);
} finally {
  await copy.remove();
}
console.log(failed ? "FAILED" : "No order was lost, duplicated or charged wrongly.");
process.exitCode = failed ? 1 : 0;

async function panel(fields: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ key: copy.demo.customer.apiKey, ...fields });
  return (await fetch(`${copy.url}/api/v2`, { method: "POST", body })).json();
}

function query<T>(sql: string): [T, ...T[]] {
  const wrangler = join(root, "node_modules", ".bin", "wrangler");
  const args = ["d1", "execute", "DB", "--local", "--persist-to", copy.stateDir, "--json", "--command", sql];
  const output = execFileSync(wrangler, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  return (JSON.parse(output) as [{ results: [T, ...T[]] }])[0].results;
}
