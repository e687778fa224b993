import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { hostileRequests } from "./hostile-requests.ts";
import { panelRequests } from "./panel-requests.ts";
import { seededRandom } from "./seeded-random.ts";
import { type Report, sendRequests } from "./send-requests.ts";

/**
 * `npm run faults:requests [-- COUNT]`: generated bad requests, a fifth to the order API, where afterwards no row may
 * have changed, and the others to every route, signed out and as customer, agent and admin. None may get a 5xx, a
 * response of more than 256 KB or wait for more than 2 s, except at exports and lists. The seed is printed; SEED repeats
 * a run.
 */

const root = join(import.meta.dirname, "..", "..");
const count = Number(process.argv[2] ?? 100_000);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16);
const SHOWN_FAULTS = 20;

// All requests come from one address, and those to the API use one key.
const copy = await startLocalCopy({ API_REQUESTS_PER_MINUTE: "1000000" });
let failed = false;
try {
  const random = seededRandom(seed);
  const panelCount = Math.floor(count / 5);
  const before = await fingerprint();
  const panel = panelRequests(random, copy.demo.customer.apiKey);
  show("order API", await sendRequests(copy, panel, { count: panelCount, connections: CONNECTIONS }));
  const after = await fingerprint();
  if (before !== after) console.log(`rows changed:\n${before}\n${after}`);
  failed ||= before !== after;
  const rest = { count: count - panelCount, connections: CONNECTIONS };
  show("all routes", await sendRequests(copy, hostileRequests(random), rest));
} finally {
  await copy.remove();
}
console.log(failed ? "FAILED" : "No 5xx, nothing too large or too slow, and no order or balance changed over the API.");
process.exitCode = failed ? 1 : 0;

function show(what: string, { sent, statuses, largest, slowest, faults, signedIn }: Report): void {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  console.log(`${what}: seed ${seed}, ${sent} requests: ${counts.join(", ")}`);
  console.log(`largest ${largest.bytes} bytes (${largest.path.slice(0, 80)})`);
  console.log(`slowest alone ${Math.round(slowest.ms)} ms (${slowest.path.slice(0, 80)}); signed in: ${signedIn}`);
  for (const fault of faults.slice(0, SHOWN_FAULTS)) console.log(fault);
  if (faults.length > 0) console.log(`${faults.length} faults`);
  failed ||= faults.length > 0;
}

/** Counts and sums of everything that a request could change. The time a key was last used is meant to change. */
async function fingerprint(): Promise<string> {
  const sql = `select (select count(*) from orders) as orders, (select count(*) from ledger) as ledger, (select sum(balance) from wallets) as balance,
    (select count(*) from refills) as refills, (select count(*) from cancellations) as cancellations, (select count(*) from users) as users,
    (select count(*) from services) as services, (select count(*) from api_keys where revoked_at is null) as api_keys`;
  // Stops the copy, because another process reads the database.
  await copy.stop();
  const wrangler = join(root, "node_modules", ".bin", "wrangler");
  const args = ["d1", "execute", "DB", "--local", "--persist-to", copy.stateDir, "--json", "--command", sql];
  const [{ results }] = JSON.parse(execFileSync(wrangler, args, { cwd: root, encoding: "utf8" })) as [
    { results: object[] },
  ];
  await copy.start();
  return JSON.stringify(results[0]);
}
