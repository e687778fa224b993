import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migratedState } from "#tests/product/migrated-state.ts";
import { openDatabase } from "#tools/run/database.ts";
import { keepSecrets } from "#tools/run/state-secrets.ts";
import { type Demo, seed } from "./seed.ts";

const stateDir = mkdtempSync(join(tmpdir(), "growline-test-"));
let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  keepSecrets(stateDir);
  cpSync(await migratedState(), stateDir, { recursive: true });
  database = await openDatabase({ remote: false, stateDir });
});
afterAll(async () => {
  await database.close();
  rmSync(stateDir, { recursive: true, force: true });
});

test("keeps the accounts, the balance and the catalog of a copy that starts again", async () => {
  const demo = await seeded();
  const before = await stored();
  expect(before).toMatchObject({ users: 3, entries: 1 });
  expect(await seeded()).toEqual(demo);
  expect(await stored()).toEqual(before);
  expect(JSON.parse(readFileSync(join(stateDir, "demo.json"), "utf8"))).toEqual(demo);
});

async function stored() {
  const { results } = await database.binding
    .prepare(`select (select count(*) from users) as users, (select count(*) from ledger) as entries,
      (select count(*) from services) as services, (select count(*) from api_keys) as keys,
      (select sum(balance) from wallets) as balance, (select group_concat(password_hash) from users) as hashes`)
    .all();
  return results[0];
}

function seeded(): Promise<Demo> {
  const secrets = keepSecrets(stateDir);
  return seed(database.binding, {
    stateDir,
    url: "http://localhost:1",
    google: { url: "http://localhost:2", clientId: "id", clientSecret: "secret" },
    providerUrl: "http://localhost:3",
    providerKey: "key",
    encryptionKeys: secrets.ENCRYPTION_KEYS,
    SESSION_SECRET: secrets.SESSION_SECRET,
  });
}
