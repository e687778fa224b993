import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { pendingUploads, uploads } from "#app/db/schema.server.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import {
  abortUpload,
  completeUpload,
  deleteAbandonedUploads,
  putPart,
  startUpload,
} from "./multipart-upload.server.ts";
import { MAX_ACCOUNT_BYTES, MAX_FILES, MAX_PENDING } from "./upload-limits.ts";

const FILE = { name: "a.txt", size: 2, fingerprint: "a" };
const EMPTY_ROW = { name: "a.txt", contentType: "text/plain", size: 1, createdAt: 1 };

/** What takes an account's room while R2 makes its next upload, and the status of the refusal. */
const TAKERS: Record<string, { take: (userId: string) => Promise<unknown>; status: number }> = {
  "as many uploads as may wait": { take: (userId) => insertPending(userId, MAX_PENDING), status: 409 },
  "as many files as it may keep": { take: (userId) => insertFiles(userId, MAX_FILES, 1), status: 413 },
  "as many bytes as it may keep": { take: (userId) => insertFiles(userId, 1, MAX_ACCOUNT_BYTES), status: 413 },
};

test.for(Object.keys(TAKERS))("leaves no upload open in R2 for an account that has got %s meanwhile", async (taken) => {
  const { userId } = await customerWith(0);
  const { take, status } = TAKERS[taken] as (typeof TAKERS)[string];
  const { bucket, open } = watchedBucket(() => take(userId));
  expect(await startUpload(db, bucket, userId, FILE)).toMatchObject({ ok: false, status });
  expect(open).toEqual(new Set());
});

test("leaves no upload open in R2 when its row goes, however it goes", async () => {
  const { userId } = await customerWith(0);
  const { bucket, open } = watchedBucket();
  const start = async (file: Partial<typeof FILE> = {}) => {
    const started = await startUpload(db, bucket, userId, { ...FILE, ...file });
    if (!started.ok) throw new Error(started.text);
    expect(open).toEqual(new Set([started.upload.r2UploadId]));
    return started.upload.id;
  };
  await start();
  // The same file again resumes its upload.
  const canceled = await start();
  await abortUpload(db, bucket, userId, canceled);
  expect(open).toEqual(new Set());

  const wrong = await start({ name: "a.png" });
  expect(await putPart(db, bucket, userId, wrong, 1, new Blob(["ab"]).stream())).toMatchObject({ status: 415 });
  expect(open).toEqual(new Set());

  const joined = await start();
  expect(await putPart(db, bucket, userId, joined, 1, new Blob(["ab"]).stream())).toEqual({ ok: true });
  expect(await completeUpload(db, bucket, userId, joined)).toMatchObject({ ok: true });
  expect(open).toEqual(new Set());

  await start();
  await db.update(pendingUploads).set({ updatedAt: 1 }).where(eq(pendingUploads.userId, userId));
  await deleteAbandonedUploads(db, bucket);
  expect(open).toEqual(new Set());
});

test("deletes other abandoned uploads when deleting one fails, and retries that one later", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { userId } = await customerWith(0);
  for (const name of ["a.txt", "b.txt"]) {
    const started = await startUpload(db, env.UPLOADS, userId, { name, size: 10, fingerprint: name });
    expect(started.ok).toBe(true);
  }
  await db.update(pendingUploads).set({ updatedAt: 1 }).where(eq(pendingUploads.userId, userId));
  const left = () => db.select().from(pendingUploads).where(eq(pendingUploads.userId, userId));
  const [failing] = await left();
  const bucket = new Proxy(env.UPLOADS, {
    get(real, name) {
      const value: unknown = Reflect.get(real, name);
      if (typeof value !== "function") return value;
      return (key: string, ...rest: unknown[]) => {
        if (key === failing?.key) throw new Error("the store is unavailable");
        return value.call(real, key, ...rest);
      };
    },
  });
  await deleteAbandonedUploads(db, bucket);
  expect(await left()).toEqual([failing]);
  expect(errors).toHaveBeenCalledTimes(1);
  errors.mockRestore();
  await deleteAbandonedUploads(db, env.UPLOADS);
  expect(await left()).toEqual([]);
});

/** A bucket with the ids of the uploads in it that are neither joined nor canceled. `meanwhile` runs as one is made. */
function watchedBucket(meanwhile: () => Promise<unknown> = async () => {}) {
  const open = new Set<string>();
  const watched = (upload: R2MultipartUpload): R2MultipartUpload => ({
    key: upload.key,
    uploadId: upload.uploadId,
    uploadPart: (...given) => upload.uploadPart(...given),
    async abort() {
      await upload.abort();
      open.delete(upload.uploadId);
    },
    async complete(parts) {
      const joined = await upload.complete(parts);
      open.delete(upload.uploadId);
      return joined;
    },
  });
  const own: Partial<R2Bucket> = {
    async createMultipartUpload(...given) {
      const upload = await env.UPLOADS.createMultipartUpload(...given);
      open.add(upload.uploadId);
      await meanwhile();
      return watched(upload);
    },
    resumeMultipartUpload: (...given) => watched(env.UPLOADS.resumeMultipartUpload(...given)),
  };
  const bucket = new Proxy(env.UPLOADS, {
    get(real, name) {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(real, name);
      return typeof value === "function" && !(name in own) ? value.bind(real) : value;
    },
  });
  return { bucket, open };
}

async function insertFiles(userId: string, count: number, size: number): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const id = crypto.randomUUID();
    return { ...EMPTY_ROW, id, userId, key: `none/${id}`, size };
  });
  // D1 takes 100 parameters in a statement.
  for (let at = 0; at < count; at += 10) await db.insert(uploads).values(rows.slice(at, at + 10));
}

async function insertPending(userId: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const id = crypto.randomUUID();
    const row = { ...EMPTY_ROW, id, userId, key: `none/${id}`, r2UploadId: id, partSize: 1, fingerprint: id };
    await db.insert(pendingUploads).values({ ...row, updatedAt: 1 });
  }
}
