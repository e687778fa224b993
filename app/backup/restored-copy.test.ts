import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { deleteAccount, repeatErasures, resumeDeletions } from "#app/delete-account.server.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { DAY_MS } from "#app/time.ts";
import { emptyDatabases, KEYS, takeBackup } from "#tests/backups/backup-databases.ts";
import { EMPTY_MANIFEST, emptyAll, secondBackup, source } from "#tests/backups/whole-backups.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { queueTo } from "#tests/workerd/email-api.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { EVERY_MINUTE, NIGHTLY } from "#workers/cron-triggers.ts";
import { runScheduledJobs } from "#workers/scheduled-jobs.ts";
import { DATABASES, FILES, newBackupId } from "./format/backup-objects.ts";
import { putManifest } from "./format/sealed-objects.server.ts";
import { holdOutgoing, releaseOutgoing } from "./restore/outgoing-hold.server.ts";
import { checkBackup } from "./restore/read-backup.server.ts";
import { restoreDatabase } from "./restore/restore-database.server.ts";
import { checkFileKeys, checkFiles, restoreFiles } from "./restore/restore-files.server.ts";
import { settleRestored } from "./restore/settle-restored.server.ts";
import { deleteOldBackups, storedBackups } from "./run/backup-retention.server.ts";
import { PART_BYTES } from "./run/file-copies.server.ts";
import { newestSound } from "./run/sound-backups.server.ts";

beforeEach(emptyAll);

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

test("calls nobody from a restored copy until it is released, then follows its orders and sends none of them again", async () => {
  const { orderIds, providerId } = await placeOrders(
    // The first has ended there when it is asked for. Otherwise, it could be asked for again only after eight seconds.
    [sandboxLink("cancelled", "there"), sandboxLink(null, "waits"), sandboxLink(null, "in-flight")],
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
  const large = new Uint8Array(atScale(0, 2) * PART_BYTES + 123).map((_, index) => index % 251);
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
  const large = new Uint8Array(atScale(0, 1) * PART_BYTES + 7).map((_, index) => index % 251);
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

test("passes over a backup whose ledger has known faults, and never deletes the last sound one for it", async () => {
  const now = Date.now();
  const put = async (days: number, ledgerFaults: number) => {
    const backupId = newBackupId(now + days * DAY_MS);
    await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId, ledgerFaults });
    return backupId;
  };
  const deleteOld = async (id: string, days: number) => {
    while (!(await deleteOldBackups({ ...env, BACKUP_KEYS: KEYS }, id, now + days * DAY_MS)));
    return storedBackups(env.BACKUPS);
  };
  const [older, sound, faulty] = [await put(-2, 0), await put(-1, 0), await put(0, 1)];
  expect(await newestSound(source, [older, sound, faulty], () => {})).toBe(sound);
  const later = await put(90, 1);
  expect(await deleteOld(later, 90)).toEqual([sound, later]);
  const fixed = await put(91, 0);
  expect(await deleteOld(fixed, 91)).toEqual([later, fixed]);
  const rotated = { ...source, keys: `2:${btoa("n".repeat(32))},${KEYS}` };
  expect((await checkBackup(rotated, fixed)).manifest.backupId).toBe(fixed);
});

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
