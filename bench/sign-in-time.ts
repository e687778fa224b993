import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import bcrypt from "bcryptjs";
import { storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { openDatabase } from "#tools/run/database.ts";

/**
 * `npm run bench:sign-in [-- --rounds 10]`: measures how long a refused sign-in takes for each kind of account, on a
 * private copy. The kinds take turns, so that other load on the machine affects all of them alike.
 */

const TIMES = 50;
const WARM_UP = 5;
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

const copy = await startLocalCopy();
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
const medians = [...times].map(([kind, elapsed]) => ({ kind, median: medianOf(elapsed) }));
const fastest = Math.min(...medians.map(({ median }) => median));
for (const { kind, median } of medians) {
  console.log(`${kind.padEnd(18)} ${median.toFixed(1).padStart(7)} ms   ${(median / fastest).toFixed(3)}`);
}
await copy.remove();

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

function post(path: string, body: object): Promise<Response> {
  return fetch(`${copy.url}/auth/v1/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
