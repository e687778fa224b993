import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { ledgerFaults } from "#app/db/schema.server.ts";
import { deleteAccount, repeatErasures, resumeDeletions } from "#app/delete-account.server.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { backupEnv, emptyDatabases, KEYS, takeBackup } from "#tests/backups/backup-databases.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { queueTo } from "#tests/workerd/email-api.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { EVERY_MINUTE, NIGHTLY } from "#workers/cron-triggers.ts";
import { runScheduledJobs } from "#workers/scheduled-jobs.ts";
import { backupPrefix, DATABASES, FILES, type Manifest, manifestKey, newBackupId } from "./format/backup-objects.ts";
import { putManifest, readManifest } from "./format/sealed-objects.server.ts";
import { holdOutgoing, releaseOutgoing } from "./restore/outgoing-hold.server.ts";
import { checkBackup } from "./restore/read-backup.server.ts";
import { restoreDatabase } from "./restore/restore-database.server.ts";
import { checkFileKeys, checkFiles, restoreFiles } from "./restore/restore-files.server.ts";
import { settleRestored } from "./restore/settle-restored.server.ts";
import { deleteOldBackups, storedBackups } from "./run/backup-retention.server.ts";
import { lastBackups } from "./run/backup-runs.server.ts";
import { runBackup } from "./run/backup-steps.server.ts";
import { PART_BYTES } from "./run/file-copies.server.ts";
import { newestSound } from "./run/sound-backups.server.ts";

const DAY_MS = 86_400_000;
const source = { bucket: env.BACKUPS, keys: KEYS };
const CUT = { at: 1, ledgerId: null, sequences: {}, migration: "" };
const EMPTY_MANIFEST: Manifest = {
  version: 1,
  backupId: "",
  startedAt: 1,
  finishedAt: 1,
  tables: [],
  cuts: { DB: CUT, DB_SUPPORT: CUT },
  chunks: [],
  ledgerFaults: 0,
};

beforeEach(async () => {
  await emptyDatabases();
  for (const bucket of [env.BACKUPS, env.UPLOADS]) {
    const { objects } = await bucket.list();
    await bucket.delete(objects.map(({ key }) => key));
  }
});

test("deletes again whom a restored backup has, but who was deleted since", async () => {
  const [gone, stays] = [await customerWith(1_000_000), await customerWith(1_000_000)];
  const id = await takeBackup();
  await deleteAccount(db, env, gone.userId);
  await restore(id);
  expect(await emails()).toEqual([gone.email, stays.email].toSorted());
  expect(await repeatErasures(db, env.BACKUPS)).toBe(1);
  await resumeDeletions(db, env);
  expect(await emails()).toEqual([stays.email]);
  // The list goes on in the new database, without a trace of who it was.
  const listed = await env.DB.prepare("select * from erasures").all();
  expect(listed.results).toEqual([{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), erased_at: expect.any(Number) }]);
  const { objects } = await env.BACKUPS.list({ prefix: "erasures/" });
  expect(objects.map(({ key, size }) => [key.includes(gone.userId), size])).toEqual([[false, 0]]);
});

test("holds what may have been sent to a provider since", async () => {
  const { orderIds } = await placeOrders(["https://instagram.com/p/1", "https://instagram.com/p/2"]);
  await env.DB.prepare("update orders set fulfillment = 'accepted', provider_order_id = 'there' where id = ?")
    .bind(orderIds[1])
    .run();
  await restore(await takeBackup());
  expect(await settleRestored(env.DB)).toEqual({ orders: 1, refills: 0, cancellations: 0 });
  const { results } = await env.DB.prepare("select fulfillment, held_for from orders order by id").all();
  expect(results).toEqual([
    { fulfillment: "held", held_for: "restored" },
    { fulfillment: "accepted", held_for: null },
  ]);
});

test("calls nobody from a restored copy until it is released, then follows its orders and sends none of them again", async () => {
  const { orderIds, providerId } = await placeOrders(
    ["there", "waits", "in-flight"].map((name) => sandboxLink(null, `${name}-${crypto.randomUUID()}`)),
  );
  const [there = 0, waits = 0, inFlight = 0] = orderIds;
  await submitOrder(there);
  // The provider has them, and the cut is before we knew.
  const known = "update orders set fulfillment = ?, provider_order_id = null, lease_until = ? where id = ?";
  await env.DB.batch([
    env.DB.prepare(known).bind("queued", 0, waits),
    env.DB.prepare(known).bind("submitting", 9e15, inFlight),
  ]);
  await queueTo("ada@test.example");
  const id = await takeBackup();

  const calls = await callsDuring(async () => {
    await restore(id);
    await settleRestored(env.DB);
    await runScheduledJobs(EVERY_MINUTE, env);
    await wakeDispatchers(db, env.PROVIDER_DISPATCHER);
    await roundOf(env.PROVIDER_DISPATCHER.getByName(String(providerId)));
    await roundOf(env.EMAIL_DISPATCHER.getByName("emails"));
    await runScheduledJobs(NIGHTLY, env);
  });
  expect(calls).toEqual([]);
  expect((await readOrder(there)).status).toBe("Pending");

  expect(await releaseOutgoing(env.DB, Date.now())).toBe(true);
  expect(await releaseOutgoing(env.DB, Date.now())).toBe(false);
  const later = await callsDuring(async () => {
    await wakeDispatchers(db, env.PROVIDER_DISPATCHER);
    await vi.waitUntil(async () => (await readOrder(there)).status !== "Pending", { timeout: 90_000, interval: 50 });
  });
  expect(later.some((call) => call.includes("action=status"))).toBe(true);
  expect(later.filter((call) => call.includes("action=add"))).toEqual([]);
  const states = await env.DB.prepare("select fulfillment from orders order by id").all();
  expect(states.results.map(({ fulfillment }) => fulfillment).slice(1)).toEqual(["held", "held"]);
});

test("copies each file once, encrypted, and puts it back byte by byte", async () => {
  const large = new Uint8Array(2 * PART_BYTES + 123).map((_, index) => index % 251);
  const small = new TextEncoder().encode("a,b\n1,2\n");
  await env.UPLOADS.put("user/large", large, { httpMetadata: { contentType: "video/mp4" } });
  await env.UPLOADS.put("user/small", small, { httpMetadata: { contentType: "text/csv" } });
  await env.UPLOADS.put("support/none", "");
  await takeBackup();
  const copied = await env.BACKUPS.head(`${FILES}user/large`);
  const id = await secondBackup();
  expect((await env.BACKUPS.head(`${FILES}user/large`))?.uploaded).toEqual(copied?.uploaded);
  const stored = await env.BACKUPS.get(`${FILES}user/small`);
  expect(await stored?.text()).not.toContain("a,b");
  await env.UPLOADS.delete(["user/large", "support/none"]);
  const { files } = await checkBackup(source, id);
  expect(await restoreFiles(source, files, env.UPLOADS)).toEqual({
    copied: 2,
    there: 1,
    missing: [],
    damaged: [],
  });
  const back = await env.UPLOADS.get("user/large");
  // Matchers compare millions of bytes in seconds.
  expect(Buffer.from((await back?.arrayBuffer()) ?? new ArrayBuffer()).equals(large)).toBe(true);
  expect(back?.httpMetadata?.contentType).toBe("video/mp4");
  await env.UPLOADS.delete("user/small");
  await env.BACKUPS.delete(`${FILES}user/small`);
  expect(await restoreFiles(source, files, env.UPLOADS)).toEqual({
    copied: 0,
    there: 2,
    missing: ["user/small"],
    damaged: [],
  });
});

test("names the files without a usable copy, and restores the others", async () => {
  const large = new Uint8Array(PART_BYTES + 7).map((_, index) => index % 251);
  for (const name of ["flipped", "gone", "torn", "whole"]) await env.UPLOADS.put(`user/${name}`, name);
  await env.UPLOADS.put("user/large", large);
  const id = await takeBackup();
  const { files } = await checkBackup(source, id);
  expect(await checkFiles(source, files)).toEqual({ missing: [], damaged: [] });
  for (const name of ["flipped", "large"]) await flipLastByte(`${FILES}user/${name}`);
  await env.BACKUPS.delete(`${FILES}user/gone`);
  await env.BACKUPS.put(`${FILES}user/torn`, (await bytesOf(`${FILES}user/torn`)).slice(0, -3));
  await env.UPLOADS.delete(files.map(({ key }) => key));
  const faults = { missing: ["user/gone"], damaged: ["user/flipped", "user/large", "user/torn"] };
  expect(await checkFiles(source, files)).toEqual(faults);
  await checkFileKeys(source, files);
  expect(await restoreFiles(source, files, env.UPLOADS)).toEqual({ copied: 1, there: 0, ...faults });
  expect((await env.UPLOADS.list()).objects.map(({ key }) => key)).toEqual(["user/whole"]);
});

test("reads backups and files of before a rotation as long as the old key is behind the new one", async () => {
  const rotated = `2:${btoa("n".repeat(32))}`;
  const both = { bucket: env.BACKUPS, keys: `${rotated},${KEYS}` };
  const alone = { bucket: env.BACKUPS, keys: rotated };
  await env.UPLOADS.put("user/before", "1");
  const before = await takeBackup();
  expect(await filesOf(both, before)).toEqual(["user/before"]);
  await expect(checkBackup(alone, before)).rejects.toThrow("BACKUP_KEYS has no key of its version");

  await env.UPLOADS.put("user/since", "2");
  const since = await secondBackup({ ...backupEnv, BACKUP_KEYS: both.keys });
  expect(await filesOf(both, since)).toEqual(["user/before", "user/since"]);
  // The new key alone reads the rows, but not the file that was copied before.
  const { files } = await checkBackup(alone, since);
  const refusal = "the copy of the file user/before cannot be decrypted: BACKUP_KEYS has no key of its version";
  await expect(checkFileKeys(alone, files)).rejects.toThrow(refusal);
  await expect(checkFiles(alone, files)).rejects.toThrow(refusal);
});

test("deletes an old backup, and the copy of a deleted file with the last backup that lists it", async () => {
  await env.UPLOADS.put("user/file", "content");
  await takeBackup();
  await env.UPLOADS.delete("user/file");
  const [, now] = [await secondBackup(), Date.now()];
  expect(await env.BACKUPS.head(`${FILES}user/file`)).not.toBeNull();
  const given = newBackupId(now - 2 * DAY_MS);
  await env.BACKUPS.put(`${backupPrefix(given)}000001`, "of a run that was given up");
  const later = newBackupId(now + 90 * DAY_MS);
  await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId: later });
  while (!(await deleteOldBackups({ ...env, BACKUP_KEYS: KEYS }, later, now + 90 * DAY_MS)));
  const { objects } = await env.BACKUPS.list();
  expect(objects.map(({ key }) => key)).toEqual([manifestKey(later)]);
});

test("keeps a backup whose ledger has known faults, but passes it over, and never deletes the last sound one for it", async () => {
  await customerWith(5);
  const sound = await takeBackup();
  await env.DB.exec(
    "insert into ledger_faults (rule, subject, is_now, should_be, found_at) values ('r', 's', 1, 2, 3)",
  );
  vi.setSystemTime(Date.now() + 2000);
  const faulty = await secondBackup();
  vi.useRealTimers();
  expect((await readManifest(env.BACKUPS, KEYS, faulty)).ledgerFaults).toBe(1);
  expect((await lastBackups(env.DB)).complete).toMatchObject({
    id: faulty,
    error: expect.stringContaining("faults: 1"),
  });
  const passedOver: unknown[] = [];
  expect(await newestSound(source, [sound, faulty], (...why) => passedOver.push(why))).toBe(sound);
  expect(passedOver).toEqual([[faulty, 1]]);

  // Faults stay for longer than any backup is kept.
  const later = newBackupId(Date.now() + 90 * DAY_MS);
  await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId: later, ledgerFaults: 1 });
  const afterFaults = { ...env, BACKUP_KEYS: KEYS };
  while (!(await deleteOldBackups(afterFaults, later, Date.now() + 90 * DAY_MS)));
  expect(await storedBackups(env.BACKUPS)).toEqual([sound, later]);
  await checkBackup(source, sound);

  // Once they are fixed, it goes like the others.
  const fixed = newBackupId(Date.now() + 91 * DAY_MS);
  await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId: fixed });
  while (!(await deleteOldBackups(afterFaults, fixed, Date.now() + 91 * DAY_MS)));
  expect(await storedBackups(env.BACKUPS)).toEqual([later, fixed]);
});

test("the backup of a night knows what its ledger check found", async () => {
  const { userId } = await customerWith(1_000_000);
  await env.DB.prepare("update wallets set balance = balance + 1 where user_id = ?").bind(userId).run();
  const silenced = vi.spyOn(console, "error").mockImplementation(() => {});
  let knownAtStart = 0;
  const wake = async () => {
    knownAtStart = await db.$count(ledgerFaults);
  };
  const nightEnv = { ...env, BACKUP_KEYS: KEYS, BACKUP_RUNNER: { getByName: () => ({ wake }) } };
  await runScheduledJobs(NIGHTLY, nightEnv as unknown as Env);
  silenced.mockRestore();
  expect(knownAtStart).toBeGreaterThan(0);
  while ((await runBackup(backupEnv)) !== null);
  const { complete } = await lastBackups(env.DB);
  expect((await readManifest(env.BACKUPS, KEYS, complete?.id ?? "")).ledgerFaults).toBeGreaterThan(0);
});

/** Returns the files of a backup, each of which can be decrypted. */
async function filesOf(from: typeof source, id: string): Promise<string[]> {
  const { files } = await checkBackup(from, id);
  await checkFileKeys(from, files);
  expect(await checkFiles(from, files)).toEqual({ missing: [], damaged: [] });
  return files.map(({ key }) => key);
}

async function bytesOf(key: string): Promise<Uint8Array> {
  return new Uint8Array((await (await env.BACKUPS.get(key))?.arrayBuffer()) ?? []);
}

async function flipLastByte(key: string): Promise<void> {
  const bytes = await bytesOf(key);
  await env.BACKUPS.put(
    key,
    bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte)),
  );
}

/** Ids have seconds, so the second one starts later. */
async function secondBackup(backup = backupEnv): Promise<string> {
  await env.DB.exec("update backup_runs set id = '2026-01-01T00-00-00Z'");
  return takeBackup(undefined, backup);
}

/** Runs a dispatcher's round as its alarm does. */
async function roundOf(dispatcher: DurableObjectStub): Promise<void> {
  await runInDurableObject(dispatcher, (object) => object.alarm?.());
}

/** Returns the calls to others meanwhile, as URL and body. */
async function callsDuring(work: () => Promise<void>): Promise<string[]> {
  const calls: string[] = [];
  const original = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    calls.push(`${input instanceof Request ? input.url : input} ${init?.body ?? ""}`);
    return original(input, init);
  });
  await work();
  fetched.mockRestore();
  return calls;
}

async function restore(id: string): Promise<void> {
  const backup = await checkBackup(source, id);
  await emptyDatabases();
  await holdOutgoing(env.DB, id, Date.now());
  for (const name of DATABASES) await restoreDatabase(name, env[name], source, backup);
}

async function emails(): Promise<unknown[]> {
  const { results } = await env.DB.prepare("select email from users order by email").all();
  return results.map(({ email }) => email);
}
