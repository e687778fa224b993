import { connect } from "#app/db/db.server.ts";
import { checkLedger, LEDGER_RULES } from "#app/orders/wallet/ledger-check.server.ts";
import { readArguments, STATE_DIR_OPTION } from "#tools/run/command-line.ts";
import { openDatabase, openSnapshot, whenFree } from "#tools/run/database.ts";

const USAGE = `npm run ledger:check [-- --remote | --state-dir DIR]

Proves that balances, orders and ledger add up. Of a local copy, running or not, it checks all of one moment. Exits with 1
if there is a fault.`;

const { values: options } = readArguments({
  usage: USAGE,
  options: { remote: { type: "boolean", default: false }, ...STATE_DIR_OPTION },
});

const stateDir = options["state-dir"];
const database = await (options.remote ? openDatabase({ remote: true, stateDir }) : openSnapshot({ stateDir }));
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
