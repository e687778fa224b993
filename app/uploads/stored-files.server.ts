import { and, desc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { uploads } from "#app/db/schema.server.ts";
import { readTableText, type TableEncoding } from "#app/http/table-text.ts";
import { fitsType } from "./content-type.ts";
import {
  cleanFileName,
  refusedInsert,
  refuseWithoutRoom,
  rowWithRoom,
  type UploadRefusal,
  WRONG_CONTENT,
} from "./upload-checks.server.ts";
import { fileError, MAX_FILES, typeOfName } from "./upload-limits.ts";

export type Upload = typeof uploads.$inferSelect;

/** Stores a whole file from a form, which works without JavaScript. */
export async function storeFile(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  file: File,
): Promise<{ ok: true; upload: Upload } | UploadRefusal> {
  const name = cleanFileName(file.name);
  const contentType = typeOfName(name);
  const refused = fileError({ name, size: file.size });
  if (refused || !contentType) return { ok: false, status: 415, text: refused ?? "" };
  const full = await refuseWithoutRoom(db, userId, file.size);
  if (full) return full;
  const body = await file.arrayBuffer();
  if (!fitsType(contentType, new Uint8Array(body), 0)) return WRONG_CONTENT;
  const id = crypto.randomUUID();
  const key = `${userId}/${id}`;
  const upload: Upload = { id, userId, key, name, contentType, size: file.size, createdAt: Date.now() };
  // Writes the row first, because an object without a row would never be deleted.
  const inserted = await db.insert(uploads).select(rowWithRoom(uploads, upload)).returning({ id: uploads.id });
  if (inserted.length === 0) return refusedInsert(db, userId, file.size);
  await bucket.put(key, body, { httpMetadata: { contentType } });
  return { ok: true, upload };
}

/** Lists the user's files, newest first. MAX_FILES fit on one page. */
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

export async function readUpload(db: Db, userId: string, id: string): Promise<Upload | null> {
  const own = and(eq(uploads.id, id), eq(uploads.userId, userId));
  const [upload] = await db.select().from(uploads).where(own).limit(1);
  return upload ?? null;
}

/** Reads a table as UTF-8, UTF-16 or Windows-1252, as spreadsheets write it. What can't be told is U+FFFD. */
export async function readUploadText(
  db: Db,
  bucket: R2Bucket,
  userId: string,
  id: string,
  maxBytes: number,
): Promise<
  | { ok: true; name: string; text: string; encoding: TableEncoding | null }
  | { ok: false; name: string; reason: "not_found" | "not_text" | "too_large" }
> {
  const upload = await readUpload(db, userId, id);
  if (!upload) return { ok: false, name: "", reason: "not_found" };
  const { name, contentType, size, key } = upload;
  if (!contentType.startsWith("text/")) return { ok: false, name, reason: "not_text" };
  if (size > maxBytes) return { ok: false, name, reason: "too_large" };
  const body = await (await bucket.get(key))?.arrayBuffer();
  if (!body) return { ok: false, name, reason: "not_found" };
  return { ok: true, name, ...readTableText(new Uint8Array(body)) };
}

/** Deletes a file. Returns false if it is not one of the user's. */
export async function deleteUpload(db: Db, bucket: R2Bucket, userId: string, id: string): Promise<boolean> {
  const upload = await readUpload(db, userId, id);
  if (!upload) return false;
  await bucket.delete(upload.key);
  await db.delete(uploads).where(eq(uploads.id, id));
  return true;
}

/** Returns headers that make the browser save the file and never render it on our origin. */
export function downloadHeaders({ name, contentType, size }: Upload): Record<string, string> {
  return {
    "Content-Type": contentType.startsWith("text/") ? `${contentType}; charset=utf-8` : contentType,
    "Content-Length": String(size),
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", "%27")}`,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
  };
}
