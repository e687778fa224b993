import { readArguments, wholeNumber } from "#tools/run/command-line.ts";
import { runDatabaseFaults } from "./database-faults.ts";

/**
 * `npm run faults:database [-- --clients 5 --stall 25 --outage 80]`: runs about four minutes and exits with 1 if anything was
 * lost, doubled or misordered.
 */

const { values } = readArguments({
  usage:
    "npm run faults:database [-- --clients 5 --stall 25 --outage 80]: stalls and an outage of D1 (seconds) under load",
  options: {
    clients: { type: "string", default: "5" },
    stall: { type: "string", default: "25" },
    outage: { type: "string", default: "80" },
  },
});
const stallMs = 1000 * wholeNumber("--stall", values.stall, 1);
const { wrong, ...figures } = await runDatabaseFaults({
  faults: [
    { kind: "calls", ms: stallMs },
    { kind: "answers", ms: stallMs },
    { kind: "outage", ms: 1000 * wholeNumber("--outage", values.outage, 1) },
  ],
  pauseMs: 8000,
  clients: wholeNumber("--clients", values.clients, 1),
  settleMs: 180_000,
});
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(12)} ${value}`);
console.log(`wrong        ${wrong.length}`);
for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
process.exit(wrong.length === 0 ? 0 : 1);
