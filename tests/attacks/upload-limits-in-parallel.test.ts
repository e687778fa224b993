import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pendingUploads, uploads } from "#app/db/schema.server.ts";
import { startUpload } from "#app/uploads/multipart-upload.server.ts";
import { storeFile } from "#app/uploads/stored-files.server.ts";
import { MAX_FILE_BYTES, MAX_FILES, MAX_PENDING } from "#app/uploads/upload-limits.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";

test("starts no more uploads than allowed, however many start at once", async () => {
  const { userId } = await customerWith(0);
  const started = await Promise.all(Array.from({ length: 25 }, (_, at) => start(userId, at, 1000)));
  expect(started.filter(({ ok }) => ok)).toHaveLength(MAX_PENDING);
  for (const refused of started) if (!refused.ok) expect(refused.status).toBe(409);
  expect(await db.select().from(pendingUploads).where(eq(pendingUploads.userId, userId))).toHaveLength(MAX_PENDING);
});

test("reserves no more bytes than an account has, however many uploads start at once", async () => {
  const { userId } = await customerWith(0);
  // 1024 MiB less 900 leave room for one more file of 100 MiB.
  for (let at = 0; at < 9; at++) await insertFile(userId, MAX_FILE_BYTES);
  const started = await Promise.all(Array.from({ length: 9 }, (_, at) => start(userId, at, MAX_FILE_BYTES)));
  expect(started.filter(({ ok }) => ok)).toHaveLength(1);
  expect(started.filter((one) => !one.ok && one.status === 413)).toHaveLength(8);
});

test("keeps no more files than an account may have, however many arrive at once", async () => {
  const { userId } = await customerWith(0);
  for (let at = 0; at < MAX_FILES - 3; at++) await insertFile(userId, 1);
  expect((await start(userId, 0, 10)).ok).toBe(true);
  const file = new File(["a,b\n"], "a.csv");
  const stored = await Promise.all(Array.from({ length: 8 }, () => storeFile(db, env.UPLOADS, userId, file)));
  expect(stored.filter(({ ok }) => ok)).toHaveLength(2);
  const kept = await db.select().from(uploads).where(eq(uploads.userId, userId));
  expect(kept).toHaveLength(MAX_FILES - 1);
  const { objects } = await env.UPLOADS.list({ prefix: `${userId}/` });
  expect(objects.map(({ key }) => key).toSorted()).toEqual(
    stored.flatMap((one) => (one.ok ? [one.upload.key] : [])).toSorted(),
  );
});

function start(userId: string, at: number, size: number) {
  return startUpload(db, env.UPLOADS, userId, { name: `${at}.csv`, size, fingerprint: `${at}` });
}

async function insertFile(userId: string, size: number): Promise<void> {
  const id = crypto.randomUUID();
  await db
    .insert(uploads)
    .values({ id, userId, key: `none/${id}`, name: "a.csv", contentType: "text/csv", size, createdAt: 1 });
}
