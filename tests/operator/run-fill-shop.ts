import { CommandError, readArguments, STATE_DIR_OPTION, wholeNumber } from "#tools/run/command-line.ts";
import { requireState, resolveStateDir } from "#tools/run/state-files.ts";
import { lockState } from "#tools/run/state-lock.ts";
import { fillShop, SHOP_SIZE } from "./fill-shop.ts";

/** A small shop has fewer held orders, because they are of the last hours. */
const ORDERS_PER_HELD = 250;
const USAGE = `npm run fill:shop -- --state-dir DIR [--orders N] [--services N]

Fills the stopped local copy in DIR with a shop: ${SHOP_SIZE.orders} orders over ${SHOP_SIZE.days} days, ${SHOP_SIZE.services} services, three providers and
${SHOP_SIZE.customers} customers, and sums it up. Its providers respond only while npm run operator:day runs.`;

const { values: options } = readArguments({
  usage: USAGE,
  options: {
    ...STATE_DIR_OPTION,
    orders: { type: "string", default: String(SHOP_SIZE.orders) },
    services: { type: "string", default: String(SHOP_SIZE.services) },
  },
});
const stateDir = resolveStateDir(options["state-dir"]);
requireState(stateDir);
const orders = wholeNumber("--orders", options.orders, 2000);
const services = wholeNumber("--services", options.services, 100);
const held = Math.min(SHOP_SIZE.held, Math.floor(orders / ORDERS_PER_HELD));
lockState(stateDir, { command: "npm run fill:shop" }, "Stop it first.");
const providers = ["Northwind", "Southgate", "Westbrook"].map((name) => ({
  name,
  // Nobody listens there.
  url: "http://127.0.0.1:9/api/v2",
  key: `key of ${name}`,
}));
try {
  await fillShop(stateDir, providers, { size: { ...SHOP_SIZE, orders, services, held } });
} catch (error) {
  if (/UNIQUE constraint failed: providers.name/.test(String(error)))
    throw new CommandError("This copy is filled already.");
  throw error;
}
console.log(`Filled ${stateDir} with ${orders} orders. Its ledger is clean.`);
