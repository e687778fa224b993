import { join, resolve } from "node:path";
import { LEDGER_CHECKS, type LedgerFault } from "#app/orders/ledger-check.server.ts";
import { run } from "./build.ts";

/** `npm run ledger:check [-- --remote]`: proves that the money adds up. Local state is STATE_DIR, as for `npm start`. */

const root = join(import.meta.dirname, "..");
const where = process.argv.includes("--remote")
  ? ["--remote"]
  : ["--local", "--persist-to", resolve(root, process.env.STATE_DIR ?? ".local")];

let faults = 0;
for (const [rule, query] of Object.entries(LEDGER_CHECKS)) {
  const output = await run(root, "wrangler", ["d1", "execute", "DB", ...where, "--json", "--command", query]);
  const [{ results }] = JSON.parse(output) as [{ results: Omit<LedgerFault, "rule">[] }];
  console.log(`${results.length === 0 ? "ok  " : "FAIL"} ${rule}`);
  for (const { subject, is_now, should_be } of results) console.log(`     ${subject}: ${is_now}, not ${should_be}`);
  faults += results.length;
}
console.log(faults === 0 ? "The ledger is clean." : `${faults} faults.`);
process.exitCode = faults === 0 ? 0 : 1;
