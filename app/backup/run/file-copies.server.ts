import { FILES, fileContext } from "#app/backup/format/backup-objects.ts";
import { sealBytes } from "#app/crypto/seal.server.ts";

/** The parts of a file are encrypted one by one. R2 wants parts of one size, and of 5 MiB at least. */
export const PART_BYTES = 5 * 1024 * 1024;
/** Files that one step looks at. */
const LISTED = 200;
/** Copies of one step. A file of 100 MB is 20 parts, each with two calls to R2. */
const MAX_COPIES = 20;
const MAX_COPIED_BYTES = 100 * 1024 * 1024;

type Buckets = { DB: D1Database; UPLOADS: R2Bucket; BACKUPS: R2Bucket };
type FileEntry = { key: string; size: number; etag: string };

/**
 * Copies files that have no copy yet, in the order of their keys, which never get another content. Goes through the copies
 * in the same order and notes those whose original is gone. Returns the files that have a copy, and the last key it saw.
 */
export async function copyFiles(
  { DB, UPLOADS, BACKUPS }: Buckets,
  keys: string,
  after: string,
  now: number,
): Promise<{ files: FileEntry[]; after: string; isDone: boolean }> {
  const listed = await UPLOADS.list({ limit: LISTED, ...(after && { startAfter: after }) });
  const end = listed.truncated ? (listed.objects.at(-1)?.key ?? "") : null;
  const copies = await copiesBetween(BACKUPS, after, end);
  const files: FileEntry[] = [];
  let copied = 0;
  let bytes = 0;
  let last = after;
  let isCut = false;
  for (const { key, size, etag } of listed.objects) {
    if (!copies.has(key)) {
      if (copied === MAX_COPIES || (copied > 0 && bytes + size > MAX_COPIED_BYTES)) {
        isCut = true;
        break;
      }
      const isThere = await copyFile(UPLOADS, BACKUPS, keys, key, size);
      copied++;
      bytes += size;
      last = key;
      // Deleted meanwhile.
      if (!isThere) continue;
    }
    last = key;
    files.push({ key, size, etag });
  }
  const originals = new Set(listed.objects.map(({ key }) => key));
  const gone = [...copies].filter((key) => !originals.has(key) && (!isCut || key <= last));
  if (gone.length > 0) {
    await DB.prepare(
      "insert into backup_gone_files (key, gone_at) select value, ? from json_each(?) where true on conflict do nothing",
    )
      .bind(now, JSON.stringify(gone))
      .run();
  }
  return { files, after: last, isDone: !isCut && !listed.truncated };
}

/** Returns the keys of the copies after `after`, up to and including `end`; null: to the last one. */
async function copiesBetween(bucket: R2Bucket, after: string, end: string | null): Promise<Set<string>> {
  const keys = new Set<string>();
  for (let startAfter = `${FILES}${after}`; ; ) {
    const page = await bucket.list({ prefix: FILES, startAfter });
    for (const { key } of page.objects) {
      const original = key.slice(FILES.length);
      if (end !== null && original > end) return keys;
      keys.add(original);
    }
    const last = page.objects.at(-1)?.key;
    if (!page.truncated || last === undefined) return keys;
    startAfter = last;
  }
}

/** Returns false if the file is gone. */
async function copyFile(from: R2Bucket, to: R2Bucket, keys: string, key: string, size: number): Promise<boolean> {
  const parts = Math.max(1, Math.ceil(size / PART_BYTES));
  const readPart = async (part: number): Promise<Uint8Array<ArrayBuffer> | null> => {
    const offset = part * PART_BYTES;
    const range = size > 0 ? { range: { offset, length: Math.min(PART_BYTES, size - offset) } } : {};
    const stored = await from.get(key, range);
    if (!stored) return null;
    return sealBytes(keys, fileContext(key, part, parts), new Uint8Array(await stored.arrayBuffer()));
  };
  const stored = await from.head(key);
  if (!stored) return false;
  const customMetadata = { size: String(size), contentType: stored.httpMetadata?.contentType ?? "" };
  if (parts === 1) {
    const sealed = await readPart(0);
    if (sealed) await to.put(`${FILES}${key}`, sealed, { customMetadata });
    return sealed !== null;
  }
  const upload = await to.createMultipartUpload(`${FILES}${key}`, { customMetadata });
  const uploaded: R2UploadedPart[] = [];
  for (let part = 0; part < parts; part++) {
    const sealed = await readPart(part);
    if (!sealed) {
      await upload.abort();
      return false;
    }
    uploaded.push(await upload.uploadPart(part + 1, sealed));
  }
  await upload.complete(uploaded);
  return true;
}
