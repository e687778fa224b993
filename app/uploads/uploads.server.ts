import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { pendingUploads, uploadParts, uploads } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { fitsType } from "./content-type.ts";
import {
  fileError,
  MAX_ACCOUNT_BYTES,
  MAX_FILES,
  MAX_NAME_CHARACTERS,
  MAX_UNDER_WAY,
  PART_BYTES,
  typeOfName,
} from "./upload-limits.ts";

export type Upload = typeof uploads.$inferSelect;
export type UnderWay = typeof pendingUploads.$inferSelect;

export type UploadRefusal = { ok: false; status: 400 | 404 | 409 | 413 | 415; text: string };

/** An upload that nobody has sent a part of for that long is given up. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;
const FORGOTTEN_AT_ONCE = 20;

const NOT_FOUND: UploadRefusal = {
  ok: false,
  status: 404,
  text: "This upload was canceled or has expired. Choose the file again.",
};
const WRONG_CONTENT: UploadRefusal = {
  ok: false,
  status: 415,
  text: "The file's content doesn't match its type, so it was rejected.",
};

/** Begins an upload in parts, or finds the one that the same file (by `fingerprint`) has under way already. */
export async function beginUpload(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  file: { name: string; size: number; fingerprint: string },
): Promise<{ ok: true; upload: UnderWay; received: number[] } | UploadRefusal> {
  const name = cleanName(file.name);
  const refused = fileError({ ...file, name });
  const contentType = typeOfName(name);
  if (refused || !contentType) return { ok: false, status: 415, text: refused ?? "" };
  const same = await findSame(db, userId, file);
  if (same) return { ok: true, upload: same, received: await receivedParts(db, same.id) };
  const full = await refusalOfRoom(db, userId, file.size);
  if (full) return full;
  const id = crypto.randomUUID();
  const key = `${userId}/${id}`;
  const begun = await bucket.createMultipartUpload(key, { httpMetadata: { contentType } });
  const now = Date.now();
  const [upload] = await db
    .insert(pendingUploads)
    .values({
      id,
      userId,
      key,
      r2UploadId: begun.uploadId,
      name,
      contentType,
      size: file.size,
      partSize: PART_BYTES,
      fingerprint: file.fingerprint,
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!upload) throw new Error("insert returned no upload");
  return { ok: true, upload, received: [] };
}

/** Keeps part `number`, counted from 1. The same part may be sent again. A part whose content does not fit ends the upload. */
export async function putPart(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  id: string,
  number: number,
  body: ArrayBuffer,
): Promise<{ ok: true } | UploadRefusal> {
  const upload = await readUnderWay(db, userId, id);
  if (!upload) return NOT_FOUND;
  const parts = Math.ceil(upload.size / upload.partSize);
  const expected = number === parts ? upload.size - (parts - 1) * upload.partSize : upload.partSize;
  if (!(number >= 1 && number <= parts) || body.byteLength !== expected) {
    return { ok: false, status: 400, text: "This part of the file is the wrong size. Send it again." };
  }
  if (!fitsType(upload.contentType, new Uint8Array(body), (number - 1) * upload.partSize)) {
    await abortUpload(db, bucket, userId, id);
    return WRONG_CONTENT;
  }
  const part = await bucket.resumeMultipartUpload(upload.key, upload.r2UploadId).uploadPart(number, body);
  const row = { uploadId: id, number, etag: part.etag, size: body.byteLength };
  // Nothing is inserted when the upload was ended meanwhile: its row is gone.
  await db
    .insert(uploadParts)
    .select(
      db
        .select({
          uploadId: pendingUploads.id,
          number: sql<number>`${number}`.as("number"),
          etag: sql<string>`${part.etag}`.as("etag"),
          size: sql<number>`${body.byteLength}`.as("size"),
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

/** Makes one file of the parts. May be repeated: the answer to the first time may have been lost. */
export async function completeUpload(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  id: string,
): Promise<{ ok: true; upload: Upload } | UploadRefusal> {
  const done = await readUpload(db, userId, id);
  if (done) return { ok: true, upload: done };
  const underWay = await readUnderWay(db, userId, id);
  if (!underWay) return NOT_FOUND;
  const parts = await db
    .select()
    .from(uploadParts)
    .where(eq(uploadParts.uploadId, id))
    .orderBy(asc(uploadParts.number));
  const missing = Math.ceil(underWay.size / underWay.partSize) - parts.length;
  if (missing > 0)
    return { ok: false, status: 409, text: `${missing} ${missing === 1 ? "part is" : "parts are"} still missing.` };
  await joinParts(bucket, underWay, parts);
  const { key, name, contentType, size } = underWay;
  const upload: Upload = { id, userId, key, name, contentType, size, createdAt: Date.now() };
  await db.batch([
    db.insert(uploads).values(upload).onConflictDoNothing(),
    db.delete(pendingUploads).where(eq(pendingUploads.id, id)),
  ]);
  return { ok: true, upload };
}

async function joinParts(
  bucket: R2Bucket,
  { key, r2UploadId, size }: UnderWay,
  parts: { number: number; etag: string }[],
) {
  const sorted = parts.map(({ number, etag }) => ({ partNumber: number, etag }));
  try {
    await bucket.resumeMultipartUpload(key, r2UploadId).complete(sorted);
  } catch (error) {
    // Cut off after R2 had joined them and before it was written down.
    if ((await bucket.head(key))?.size !== size) throw error;
  }
}

/** Gives up an upload. False when it is not one of the user's. */
export async function abortUpload(db: Db, bucket: R2Bucket, userId: string, id: string): Promise<boolean> {
  const upload = await readUnderWay(db, userId, id);
  if (!upload) return false;
  await dropUnderWay(db, bucket, upload);
  return true;
}

/** Gives up what nobody goes on with. Called by the cron trigger. */
export async function forgetAbandonedUploads(db: Db, bucket: R2Bucket): Promise<void> {
  const old = await db
    .select()
    .from(pendingUploads)
    .where(lt(pendingUploads.updatedAt, Date.now() - ABANDONED_MS))
    .limit(FORGOTTEN_AT_ONCE);
  for (const upload of old) {
    await runLogged("abandoned upload not removed", { upload: upload.id }, () => dropUnderWay(db, bucket, upload));
  }
}

/** R2 first, then the row that leads to it, so that what is cut off can be taken up again. */
export async function dropUnderWay(db: Db, bucket: R2Bucket, upload: UnderWay): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(upload.key, upload.r2UploadId).abort();
  } catch {
    // Joined or given up before; a joined one is an object.
    await bucket.delete(upload.key);
  }
  await db.delete(pendingUploads).where(eq(pendingUploads.id, upload.id));
}

/** A whole small file, as a form without scripts sends it. */
export async function storeFile(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  file: File,
): Promise<{ ok: true; upload: Upload } | UploadRefusal> {
  const name = cleanName(file.name);
  const contentType = typeOfName(name);
  const refused = fileError({ name, size: file.size });
  if (refused || !contentType) return { ok: false, status: 415, text: refused ?? "" };
  const full = await refusalOfRoom(db, userId, file.size);
  if (full) return full;
  const body = await file.arrayBuffer();
  if (!fitsType(contentType, new Uint8Array(body), 0)) return WRONG_CONTENT;
  const id = crypto.randomUUID();
  const key = `${userId}/${id}`;
  const upload: Upload = { id, userId, key, name, contentType, size: file.size, createdAt: Date.now() };
  // The row first: without it nobody would ever delete the object.
  await db.insert(uploads).values(upload);
  await bucket.put(key, body, { httpMetadata: { contentType } });
  return { ok: true, upload };
}

/** All of the user's files, newest first: there is room for no more than a page shows. */
export async function listUploads(db: Db, userId: string) {
  return db
    .select({
      id: uploads.id,
      name: uploads.name,
      contentType: uploads.contentType,
      size: uploads.size,
      createdAt: uploads.createdAt,
    })
    .from(uploads)
    .where(eq(uploads.userId, userId))
    .orderBy(desc(uploads.createdAt))
    .limit(MAX_FILES);
}

/** With the bytes that have arrived. */
export async function listUnderWay(db: Db, userId: string) {
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
    .limit(MAX_UNDER_WAY);
}

export async function readUpload(db: Db, userId: string, id: string): Promise<Upload | null> {
  const own = and(eq(uploads.id, id), eq(uploads.userId, userId));
  const [upload] = await db.select().from(uploads).where(own).limit(1);
  return upload ?? null;
}

/** The numbers of the parts that have arrived; null when the upload is not under way. */
export async function readReceived(db: Db, userId: string, id: string): Promise<number[] | null> {
  return (await readUnderWay(db, userId, id)) ? receivedParts(db, id) : null;
}

/** The file's text, as UTF-8 or else as Windows-1252, which older spreadsheets write. */
export async function readUploadText(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  id: string,
  maxBytes: number,
): Promise<
  { ok: true; name: string; text: string } | { ok: false; name: string; reason: "not_found" | "not_text" | "too_large" }
> {
  const upload = await readUpload(db, userId, id);
  if (!upload) return { ok: false, name: "", reason: "not_found" };
  const { name, contentType, size, key } = upload;
  if (!contentType.startsWith("text/")) return { ok: false, name, reason: "not_text" };
  if (size > maxBytes) return { ok: false, name, reason: "too_large" };
  const body = await (await bucket.get(key))?.arrayBuffer();
  if (!body) return { ok: false, name, reason: "not_found" };
  try {
    return { ok: true, name, text: new TextDecoder("utf-8", { fatal: true }).decode(body) };
  } catch {
    return { ok: true, name, text: new TextDecoder("windows-1252").decode(body) };
  }
}

/** False when the file is not one of the user's. */
export async function deleteUpload(db: Db, bucket: R2Bucket, userId: string, id: string): Promise<boolean> {
  const upload = await readUpload(db, userId, id);
  if (!upload) return false;
  await bucket.delete(upload.key);
  await db.delete(uploads).where(eq(uploads.id, id));
  return true;
}

async function readUnderWay(db: Db, userId: string, id: string): Promise<UnderWay | null> {
  const own = and(eq(pendingUploads.id, id), eq(pendingUploads.userId, userId));
  const [upload] = await db.select().from(pendingUploads).where(own).limit(1);
  return upload ?? null;
}

async function findSame(db: Db, userId: string, file: { size: number; fingerprint: string }): Promise<UnderWay | null> {
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

async function receivedParts(db: Db, id: string): Promise<number[]> {
  const parts = await db.select({ number: uploadParts.number }).from(uploadParts).where(eq(uploadParts.uploadId, id));
  return parts.map(({ number }) => number);
}

async function refusalOfRoom(db: Db, userId: string, size: number): Promise<UploadRefusal | null> {
  const [[kept], [coming]] = await db.batch([
    db
      .select({ files: sql<number>`count(*)`, bytes: sql<number>`coalesce(sum(${uploads.size}), 0)` })
      .from(uploads)
      .where(eq(uploads.userId, userId)),
    db
      .select({ files: sql<number>`count(*)`, bytes: sql<number>`coalesce(sum(${pendingUploads.size}), 0)` })
      .from(pendingUploads)
      .where(eq(pendingUploads.userId, userId)),
  ]);
  const [files, bytes] = [(kept?.files ?? 0) + (coming?.files ?? 0), (kept?.bytes ?? 0) + (coming?.bytes ?? 0)];
  if ((coming?.files ?? 0) >= MAX_UNDER_WAY) {
    return { ok: false, status: 409, text: `${MAX_UNDER_WAY} uploads are in progress. Finish or remove one first.` };
  }
  if (files >= MAX_FILES)
    return { ok: false, status: 413, text: `You can keep up to ${MAX_FILES} files. Delete some first.` };
  if (bytes + size > MAX_ACCOUNT_BYTES)
    return { ok: false, status: 413, text: "You can keep up to 1 GB. Delete some files first." };
  return null;
}

/** A file's own name without what a path, a header or a terminal could take for more than that. */
export function cleanName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const clean = last.replaceAll(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, "").trim();
  // The end is kept: it tells the type.
  return clean.slice(-MAX_NAME_CHARACTERS).toWellFormed() || "file";
}

/** Always saved, never shown as a page of ours. */
export function downloadHeaders({ name, contentType, size }: Upload): Record<string, string> {
  return {
    "Content-Type": contentType.startsWith("text/") ? `${contentType}; charset=utf-8` : contentType,
    "Content-Length": String(size),
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", "%27")}`,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
  };
}
