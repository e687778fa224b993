import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { pendingUploads, uploadParts, uploads } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";
import { checkPart } from "./check-part.server.ts";
import { readUpload, type Upload } from "./stored-files.server.ts";
import {
  cleanFileName,
  refusedInsert,
  refuseWithoutRoom,
  rowWithRoom,
  type UploadRefusal,
  WRONG_CONTENT,
} from "./upload-checks.server.ts";
import { fileError, MAX_PENDING, PART_BYTES, typeOfName } from "./upload-limits.ts";

export type PendingUpload = typeof pendingUploads.$inferSelect;

/** An upload that received no part for this long is deleted. */
const ABANDONED_MS = DAY_MS;
/** Each takes up to three calls to R2 and D1, of the 1,000 a cron run may make. */
const MAX_DELETED_AT_ONCE = 100;

const NOT_FOUND: UploadRefusal = {
  ok: false,
  status: 404,
  text: "This upload was canceled or has expired. Choose the file again.",
};

const WRONG_SIZE: UploadRefusal = {
  ok: false,
  status: 400,
  text: "This part of the file is the wrong size. Send it again.",
};
const TOO_LONG: UploadRefusal = { ok: false, status: 413, text: "This part is too large." };

/** Starts an upload in parts, or resumes the one of the same file, by its `fingerprint`. */
export async function startUpload(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  file: { name: string; size: number; fingerprint: string },
): Promise<{ ok: true; upload: PendingUpload; received: number[] } | UploadRefusal> {
  const name = cleanFileName(file.name);
  const refused = fileError({ ...file, name });
  const contentType = typeOfName(name);
  if (refused || !contentType) return { ok: false, status: 415, text: refused ?? "" };
  const same = await findSame(db, userId, file);
  if (same) return { ok: true, upload: same, received: await readPartNumbers(db, same.id) };
  const full = await refuseWithoutRoom(db, userId, file.size);
  if (full) return full;
  const id = crypto.randomUUID();
  const key = `${userId}/${id}`;
  const created = await bucket.createMultipartUpload(key, { httpMetadata: { contentType } });
  const now = Date.now();
  const upload: PendingUpload = {
    id,
    userId,
    key,
    r2UploadId: created.uploadId,
    name,
    contentType,
    size: file.size,
    partSize: PART_BYTES,
    fingerprint: file.fingerprint,
    createdAt: now,
    updatedAt: now,
  };
  const inserted = await db
    .insert(pendingUploads)
    .select(rowWithRoom(pendingUploads, upload))
    .returning({ id: pendingUploads.id });
  if (inserted.length === 0) {
    await created.abort();
    return refusedInsert(db, userId, file.size);
  }
  return { ok: true, upload, received: [] };
}

/**
 * Stores part `number`, counted from 1, and reads no more of `body` than belongs to it. Repeatable. A part whose content
 * does not fit the type ends the upload.
 */
export async function putPart(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  id: string,
  number: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<{ ok: true } | UploadRefusal> {
  const upload = await readPendingUpload(db, userId, id);
  if (!upload) return NOT_FOUND;
  const parts = Math.ceil(upload.size / upload.partSize);
  if (!(number >= 1 && number <= parts)) return WRONG_SIZE;
  const size = number === parts ? upload.size - (parts - 1) * upload.partSize : upload.partSize;
  const checked = checkPart(body, { size, contentType: upload.contentType, offset: (number - 1) * upload.partSize });
  const multipart = bucket.resumeMultipartUpload(upload.key, upload.r2UploadId);
  const stored = multipart.uploadPart(number, checked.readable);
  const [problem, part] = await Promise.all([checked.problem, stored.catch((error: unknown) => ({ error }))]);
  switch (problem) {
    case null:
      break;
    case "too_long":
      return TOO_LONG;
    case "too_short":
      return WRONG_SIZE;
    case "wrong_content":
      await abortUpload(db, bucket, userId, id);
      return WRONG_CONTENT;
    default:
      problem satisfies never;
  }
  if ("error" in part) throw part.error;
  const row = { uploadId: id, number, etag: part.etag, size };
  // Inserts nothing if the upload ended in the meantime, because its row was deleted.
  await db
    .insert(uploadParts)
    .select(
      db
        .select({
          uploadId: pendingUploads.id,
          number: sql<number>`${number}`.as("number"),
          etag: sql<string>`${part.etag}`.as("etag"),
          size: sql<number>`${size}`.as("size"),
        })
        .from(pendingUploads)
        .where(eq(pendingUploads.id, id)),
    )
    .onConflictDoUpdate({
      target: [uploadParts.uploadId, uploadParts.number],
      set: { etag: row.etag, size: row.size },
    });
  await db.update(pendingUploads).set({ updatedAt: Date.now() }).where(eq(pendingUploads.id, id));
  return { ok: true };
}

/** Joins the parts into one file. Repeatable, because the first response may have been lost. */
export async function completeUpload(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  id: string,
): Promise<{ ok: true; upload: Upload } | UploadRefusal> {
  const done = await readUpload(db, userId, id);
  if (done) return { ok: true, upload: done };
  const pending = await readPendingUpload(db, userId, id);
  if (!pending) return NOT_FOUND;
  const parts = await db
    .select()
    .from(uploadParts)
    .where(eq(uploadParts.uploadId, id))
    .orderBy(asc(uploadParts.number));
  const missing = Math.ceil(pending.size / pending.partSize) - parts.length;
  if (missing > 0)
    return { ok: false, status: 409, text: `${missing} ${missing === 1 ? "part is" : "parts are"} still missing.` };
  await joinParts(bucket, pending, parts);
  const { key, name, contentType, size } = pending;
  const upload: Upload = { id, userId, key, name, contentType, size, createdAt: Date.now() };
  await db.batch([
    db.insert(uploads).values(upload).onConflictDoNothing(),
    db.delete(pendingUploads).where(eq(pendingUploads.id, id)),
  ]);
  return { ok: true, upload };
}

async function joinParts(
  bucket: R2Bucket,
  { key, r2UploadId, size }: PendingUpload,
  parts: { number: number; etag: string }[],
) {
  const sorted = parts.map(({ number, etag }) => ({ partNumber: number, etag }));
  try {
    await bucket.resumeMultipartUpload(key, r2UploadId).complete(sorted);
  } catch (error) {
    // An earlier run may have stopped after R2 joined the parts and before D1 recorded it.
    if ((await bucket.head(key))?.size !== size) throw error;
  }
}

/** Cancels an upload. Returns false if it is not one of the user's. */
export async function abortUpload(db: Db, bucket: R2Bucket, userId: string, id: string): Promise<boolean> {
  const upload = await readPendingUpload(db, userId, id);
  if (!upload) return false;
  await dropPendingUpload(db, bucket, upload);
  return true;
}

/** Deletes abandoned uploads. Called by the cron trigger. */
export async function deleteAbandonedUploads(db: Db, bucket: R2Bucket): Promise<void> {
  const old = await db
    .select()
    .from(pendingUploads)
    .where(lt(pendingUploads.updatedAt, Date.now() - ABANDONED_MS))
    .orderBy(asc(pendingUploads.updatedAt))
    .limit(MAX_DELETED_AT_ONCE);
  for (const upload of old) {
    await runLogged("abandoned upload not removed", { upload: upload.id }, () => dropPendingUpload(db, bucket, upload));
  }
}

/** Deletes from R2 first, then the row that names it, so that an interrupted run can be repeated. */
export async function dropPendingUpload(db: Db, bucket: R2Bucket, upload: PendingUpload): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(upload.key, upload.r2UploadId).abort();
  } catch {
    // Already joined or canceled. A joined upload is an object.
    await bucket.delete(upload.key);
  }
  await db.delete(pendingUploads).where(eq(pendingUploads.id, upload.id));
}

/** Lists the user's unfinished uploads with the bytes received. */
export async function listPendingUploads(db: Db, userId: string) {
  return db
    .select({
      id: pendingUploads.id,
      name: pendingUploads.name,
      size: pendingUploads.size,
      fingerprint: pendingUploads.fingerprint,
      received: sql<number>`(select coalesce(sum(${uploadParts.size}), 0) from ${uploadParts} where ${uploadParts.uploadId} = ${pendingUploads.id})`,
      createdAt: pendingUploads.createdAt,
    })
    .from(pendingUploads)
    .where(eq(pendingUploads.userId, userId))
    .orderBy(desc(pendingUploads.createdAt))
    .limit(MAX_PENDING);
}

/** Returns the numbers of the parts received, or null if there is no such upload. */
export async function readReceivedParts(db: Db, userId: string, id: string): Promise<number[] | null> {
  return (await readPendingUpload(db, userId, id)) ? readPartNumbers(db, id) : null;
}

async function readPendingUpload(db: Db, userId: string, id: string): Promise<PendingUpload | null> {
  const own = and(eq(pendingUploads.id, id), eq(pendingUploads.userId, userId));
  const [upload] = await db.select().from(pendingUploads).where(own).limit(1);
  return upload ?? null;
}

async function findSame(
  db: Db,
  userId: string,
  file: { size: number; fingerprint: string },
): Promise<PendingUpload | null> {
  if (file.fingerprint === "") return null;
  const [same] = await db
    .select()
    .from(pendingUploads)
    .where(
      and(
        eq(pendingUploads.userId, userId),
        eq(pendingUploads.fingerprint, file.fingerprint),
        eq(pendingUploads.size, file.size),
      ),
    )
    .limit(1);
  return same ?? null;
}

async function readPartNumbers(db: Db, id: string): Promise<number[]> {
  const parts = await db.select({ number: uploadParts.number }).from(uploadParts).where(eq(uploadParts.uploadId, id));
  return parts.map(({ number }) => number);
}
