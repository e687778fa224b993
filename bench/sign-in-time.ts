import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import bcrypt from "bcryptjs";
import { storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { openDatabase } from "#tools/run/database.ts";
import { type Figure, median, percentile, reportFigures } from "./figures.ts";

/**
 * `npm run bench -- sign-in [--rounds 10]`: measures how long a refused sign-in takes for each kind of account, on a
 * private copy. The kinds take turns, so that other load on the machine affects all of them alike. Then measures how long
 * others wait while 100 sign-ins from as many addresses arrive at once, as a ratio to the same requests without them.
 */

const TIMES = 50;
const WARM_UP = 5;
const SIGN_INS = 100;
/** Requests of the bystander without sign-ins, of each kind. */
const QUIET_REQUESTS = 60;
const PASSWORD = "a long password";
const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });

const legacyHash = await bcrypt.hash(PASSWORD, Number(values.rounds));
const kinds: Record<string, (n: number) => string> = {
  "unknown email": (n) => `bench-unknown-${n}-${run}@bench.example`,
  "legacy account": (n) => `bench-legacy-${n}-${run}@bench.example`,
  "migrated account": (n) => `bench-migrated-${n}-${run}@bench.example`,
  "current account": (n) => `bench-current-${n}-${run}@bench.example`,
};
const run = randomUUID().slice(0, 8);
const all = Array.from({ length: TIMES + WARM_UP }, (_, n) => n);

const copy = await startLocalCopy({ API_REQUESTS_PER_MINUTE: "1000000" });
await prepare();
const times = new Map<string, number[]>();
for (const n of all) {
  for (const [kind, emailOf] of Object.entries(kinds)) {
    const started = performance.now();
    const response = await post("token?grant_type=password", { email: emailOf(n), password: "wrong" });
    const elapsed = performance.now() - started;
    if (response.status !== 400) throw new Error(`${kind}: ${response.status} ${await response.text()}`);
    if (n >= WARM_UP) times.set(kind, [...(times.get(kind) ?? []), elapsed]);
  }
}
const medians = [...times].map(([kind, elapsed]) => ({ kind, value: median(elapsed) }));
const fastest = Math.min(...medians.map(({ value }) => value));
const figures: Figure[] = medians.map(({ kind, value }) => ({
  name: `refused log-in, ${kind}`,
  value,
  unit: "ms",
  baseline: fastest,
}));

const quiet = await bystander((count) => count >= QUIET_REQUESTS);
let settled = 0;
const signIns = Promise.all(
  Array.from({ length: SIGN_INS }, async (_, n) => {
    const body = { email: `bench-flood-${n}-${run}@bench.example`, password: "wrong" };
    const response = await post("token?grant_type=password", body, { "CF-Connecting-IP": `198.51.100.${n}` });
    await response.body?.cancel();
    settled++;
    return response.status;
  }),
);
const started = performance.now();
const busy = await bystander(() => settled === SIGN_INS);
const statuses = Map.groupBy(await signIns, (status) => status);
const counts = [...statuses].map(([status, those]) => `${those.length} of ${status}`).join(", ");
console.log(`${SIGN_INS} log-ins in ${((performance.now() - started) / 1000).toFixed(1)} s: ${counts}`);
for (const [name, elapsed] of busy) {
  for (const share of [0.5, 0.99]) {
    const baseline = percentile(quiet.get(name) ?? [], share);
    const value = percentile(elapsed, share);
    figures.push({ name: `${name} beside ${SIGN_INS} log-ins, p${share * 100}`, value, unit: "ms", baseline });
  }
}
reportFigures(figures);
await copy.remove();

/** Sends a page request and an API call in turn until `isDone`, and returns how long each took, in ms. */
async function bystander(isDone: (count: number) => boolean): Promise<Map<string, number[]>> {
  const calls: Record<string, () => Promise<Response>> = {
    "public page": () => fetch(copy.url),
    "API call": () =>
      fetch(`${copy.url}/api/v2`, {
        method: "POST",
        body: new URLSearchParams({ key: copy.demo.customer.apiKey, action: "balance" }),
      }),
  };
  const elapsed = new Map<string, number[]>();
  for (let count = 0; !isDone(count); count++) {
    for (const [name, call] of Object.entries(calls)) {
      const from = performance.now();
      const response = await call();
      await response.text();
      if (!response.ok) throw new Error(`${name}: ${response.status}`);
      elapsed.set(name, [...(elapsed.get(name) ?? []), performance.now() - from]);
    }
  }
  return elapsed;
}

async function prepare(): Promise<void> {
  // A second process can't write while workerd has the database.
  await copy.stop();
  const database = await openDatabase({ remote: false, stateDir: copy.stateDir });
  const accounts = ["legacy account", "migrated account"].flatMap((kind) =>
    all.map((n) => ({
      id: randomUUID(),
      email: kinds[kind]?.(n) ?? "",
      hash: legacyHash,
      fullName: "",
      createdAt: Date.now(),
    })),
  );
  await storeLegacyAccounts(database.binding, accounts);
  await database.close();
  await copy.start();
  for (const n of all) {
    await post("signup", { email: kinds["current account"]?.(n), password: PASSWORD });
    await post("token?grant_type=password", { email: kinds["migrated account"]?.(n), password: PASSWORD });
  }
}

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${copy.url}/auth/v1/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
