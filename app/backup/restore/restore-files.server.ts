import { FILES, type FilesContent, fileContext } from "#app/backup/format/backup-objects.ts";
import { UnusableBackup } from "#app/backup/format/sealed-objects.server.ts";
import { PART_BYTES } from "#app/backup/run/file-copies.server.ts";
import { unsealBytes } from "#app/crypto/seal.server.ts";
import type { BackupSource } from "./read-backup.server.ts";

export type RestoredFiles = { copied: number; there: number; missing: string[] };

/** Puts the files of a backup back, except those that are there. `missing`: files whose copy is gone. Repeatable. */
export async function restoreFiles(
  { bucket, keys }: BackupSource,
  files: FilesContent["files"],
  target: R2Bucket,
): Promise<RestoredFiles> {
  const result: RestoredFiles = { copied: 0, there: 0, missing: [] };
  for (const { key, size } of files) {
    const there = await target.head(key);
    if (there?.size === size) {
      result.there++;
    } else if (await restoreFile(bucket, keys, key, size, target)) {
      result.copied++;
    } else {
      result.missing.push(key);
    }
  }
  return result;
}

/** Returns false if there is no copy. */
async function restoreFile(from: R2Bucket, keys: string, key: string, size: number, to: R2Bucket): Promise<boolean> {
  const copy = await from.head(`${FILES}${key}`);
  if (!copy) return false;
  const parts = Math.max(1, Math.ceil(size / PART_BYTES));
  // Each part carries the version of its key, the IV and the tag.
  const overhead = (copy.size - size) / parts;
  const readPart = async (part: number): Promise<Uint8Array<ArrayBuffer>> => {
    const length = Math.min(PART_BYTES, size - part * PART_BYTES) + overhead;
    const stored = await from.get(`${FILES}${key}`, { range: { offset: part * (PART_BYTES + overhead), length } });
    if (!stored) throw new UnusableBackup(`the copy of ${key} was deleted meanwhile`);
    try {
      return await unsealBytes(keys, fileContext(key, part, parts), new Uint8Array(await stored.arrayBuffer()));
    } catch {
      throw new UnusableBackup(`the copy of ${key} cannot be decrypted: it is damaged, or of another key`);
    }
  };
  const contentType = copy.customMetadata?.contentType;
  const options = contentType ? { httpMetadata: { contentType } } : {};
  if (parts === 1) {
    await to.put(key, await readPart(0), options);
    return true;
  }
  const upload = await to.createMultipartUpload(key, options);
  const uploaded: R2UploadedPart[] = [];
  for (let part = 0; part < parts; part++) uploaded.push(await upload.uploadPart(part + 1, await readPart(part)));
  await upload.complete(uploaded);
  return true;
}
