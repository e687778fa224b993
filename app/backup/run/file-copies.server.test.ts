import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { FILES } from "#app/backup/format/backup-objects.ts";
import { KEYS } from "#tests/backups/backup-databases.ts";
import { copyFiles } from "./file-copies.server.ts";

/** More than one step copies, so that a step is cut too. */
const NAMES = Array.from({ length: 23 }, (_, at) => `user/${String(at).padStart(2, "0")}`);
/** Files that one step looks at: some divide their number, some don't. */
const STEPS = [4, 22, 23, 24];

beforeEach(async () => {
  for (const bucket of [env.UPLOADS, env.BACKUPS]) {
    const { objects } = await bucket.list();
    await bucket.delete(objects.map(({ key }) => key));
  }
  await env.DB.exec("delete from backup_gone_files");
  for (const name of NAMES) await env.UPLOADS.put(name, name);
});

test.for(STEPS)("copies each file in one night, and none again in the next, with steps of %i files", async (listed) => {
  const first = await night(listed);
  expect(first.copied.toSorted()).toEqual(NAMES);
  expect(first.files).toEqual(NAMES);
  const second = await night(listed);
  expect(second).toEqual({ copied: [], read: [], files: NAMES, gone: [] });
});

test.for(STEPS)("copies new files alone, and notes deleted ones alone, with steps of %i files", async (listed) => {
  await night(listed);
  // At the ends, and beside each other.
  const deleted = ["user/00", "user/01", "user/11", "user/22"];
  const added = ["user/", "user/00a", "user/11a", "user/22a", "user/99"];
  await env.UPLOADS.delete(deleted);
  for (const name of added) await env.UPLOADS.put(name, name);
  const files = [...NAMES.filter((name) => !deleted.includes(name)), ...added].toSorted();
  const next = await night(listed);
  expect({ ...next, copied: next.copied.toSorted(), read: null }).toEqual({
    copied: added.toSorted(),
    read: null,
    files,
    gone: deleted,
  });
  // What is gone stays noted, and its copy is not deleted here.
  expect(await night(listed)).toEqual({ copied: [], read: [], files, gone: deleted });
});

/** Runs all steps of a night. Returns the files that it copied, read and listed, and those that are noted as gone. */
async function night(listed: number) {
  const [copied, read, files] = [[] as string[], [] as string[], [] as string[]];
  const UPLOADS = watched(env.UPLOADS, {
    list: (options) => env.UPLOADS.list({ ...options, limit: listed }),
    // The type of R2 has overloads.
    get: ((key: string, options?: R2GetOptions) => {
      read.push(key);
      return env.UPLOADS.get(key, options);
    }) as R2Bucket["get"],
  });
  const BACKUPS = watched(env.BACKUPS, {
    put: ((key: string, ...rest: [ArrayBuffer, R2PutOptions]) => {
      copied.push(key.slice(FILES.length));
      return env.BACKUPS.put(key, ...rest);
    }) as R2Bucket["put"],
  });
  for (let after = "", isDone = false; !isDone; ) {
    const step = await copyFiles({ DB: env.DB, UPLOADS, BACKUPS }, KEYS, after, 1);
    files.push(...step.files.map(({ key }) => key));
    ({ after, isDone } = step);
  }
  const { results } = await env.DB.prepare("select key from backup_gone_files order by key").all<{ key: string }>();
  return { copied, read, files, gone: results.map(({ key }) => key) };
}

/** Returns a bucket with methods of its own. */
function watched(bucket: R2Bucket, own: Partial<R2Bucket>): R2Bucket {
  return new Proxy(bucket, {
    get(real, name) {
      const value: unknown = Reflect.get(real, name);
      if (name in own) return Reflect.get(own, name);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
}
