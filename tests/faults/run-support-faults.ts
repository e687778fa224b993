import { readArguments, wholeNumber } from "#tools/run/command-line.ts";
import { runFaults } from "./support-faults.ts";

/**
 * `npm run faults:support [-- --rooms 200 --kills 20]`: runs about two minutes and exits with 1 if a message was lost.
 */

const { values } = readArguments({
  usage: "npm run faults:support [-- --rooms 200 --kills 20]: chats through kills, and counts what was lost",
  options: { rooms: { type: "string", default: "200" }, kills: { type: "string", default: "20" } },
});
const { faults, ...figures } = await runFaults({
  rooms: wholeNumber("--rooms", values.rooms, 1),
  kills: wholeNumber("--kills", values.kills),
  roundMs: 4000,
  everyMs: 2000,
  settleMs: 90_000,
  refocus: false,
});
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(10)} ${value}`);
console.log(`faults     ${faults.length}`);
for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
