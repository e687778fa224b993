import { applyD1Migrations, listDurableObjectIds, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { refuseSharedNames } from "#app/db/column-names.server.ts";
import { hashCheaply } from "./new-account.ts";
import "./simulated-databases.ts";

refuseSharedNames();
hashCheaply();

// For each frame of an error's stack, Vite searches the whole module for a source map. The built pages have none, and are so
// long that a stack took 30 ms.
const { prepareStackTrace: mapped } = Error;
if (mapped && mapped.name !== "withoutBuiltPages") {
  Error.prepareStackTrace = function withoutBuiltPages(error, calls) {
    return mapped(
      error,
      calls.filter((call) => !call.getFileName()?.includes("/build/server/")),
    );
  };
}

// Test files share a worker, since starting one for each took a third of the run. Each file begins with empty storage.
await emptyStorage();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await applyD1Migrations(env.DB_SUPPORT, env.TEST_SUPPORT_MIGRATIONS);
// The worker may still remember the catalog of an earlier file, so its version must be outdated: also by one that changed some
// thousand services within a second, each of which counts the version up by one.
await env.DB.prepare("UPDATE catalog_version SET version = CAST(? AS INTEGER)")
  .bind(Date.now() * 100)
  .run();

afterEach(() => {
  vi.restoreAllMocks();
});

async function emptyStorage(): Promise<void> {
  // workerd evicts an object, databases, buckets and caches included, after ten idle seconds, and reset() empties only those that
  // run. So it starts the ones that the next file finds again by their name.
  for (const database of [env.DB, env.DB_SUPPORT]) await database.exec("SELECT 1");
  for (const bucket of [env.UPLOADS, env.BACKUPS]) await bucket.head("none");
  await (await caches.open("catalog")).match("https://growline.example/none");
  await startAll(env.PROVIDER_DISPATCHER);
  await startAll(env.EMAIL_DISPATCHER);
  await startAll(env.PUSH_DISPATCHER);
  await startAll(env.GMAIL_DISPATCHER);
  await startAll(env.BACKUP_RUNNER);
  await reset();
  for (const database of [env.DB, env.DB_SUPPORT]) {
    const left = await database.prepare("SELECT name FROM sqlite_master WHERE name = 'd1_migrations'").first();
    if (left) throw new Error("the database of an earlier test file is still there");
  }
}

async function startAll<T extends Rpc.DurableObjectBranded>(namespace: DurableObjectNamespace<T>): Promise<void> {
  for (const id of await listDurableObjectIds(namespace)) await runInDurableObject(namespace.get(id), () => {});
}
