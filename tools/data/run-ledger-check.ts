import { parseArgs } from "node:util";
import { connect } from "#app/db/db.server.ts";
import { checkLedger, LEDGER_RULES } from "#app/orders/wallet/ledger-check.server.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";

/** `npm run ledger:check [-- --remote | --state-dir DIR]`: checks that the money adds up. */

const { values: options } = parseArgs({
  options: {
    remote: { type: "boolean", default: false },
    "state-dir": { type: "string", default: process.env.STATE_DIR ?? ".local" },
  },
});

const database = await openDatabase({ remote: options.remote, stateDir: options["state-dir"] });
try {
  const faults = await whenFree(() => checkLedger(connect(database.binding)));
  for (const rule of Object.keys(LEDGER_RULES)) {
    const broken = faults.filter((fault) => fault.rule === rule);
    console.log(`${broken.length === 0 ? "ok  " : "FAIL"} ${rule}`);
    for (const { subject, is_now, should_be } of broken) console.log(`     ${subject}: ${is_now}, not ${should_be}`);
  }
  console.log(faults.length === 0 ? "The ledger is clean." : `${faults.length} faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await database.close();
}
