import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";

// Test files share a worker, since starting one for each took a third of the run. Each file begins with empty storage.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await applyD1Migrations(env.DB_SUPPORT, env.TEST_SUPPORT_MIGRATIONS);
// What the worker remembers of an earlier file's catalog must be outdated.
await env.DB.prepare("UPDATE catalog_version SET version = CAST(? AS INTEGER)").bind(Date.now()).run();

afterEach(() => {
  vi.restoreAllMocks();
});
