import { FILES, type FilesContent, fileContext } from "#app/backup/format/backup-objects.ts";
import { MissingBackupKey, openBytes, readBytes, UnusableBackup } from "#app/backup/format/sealed-objects.server.ts";
import { PART_BYTES } from "#app/backup/run/file-copies.server.ts";
import { hasKeyFor } from "#app/crypto/seal.server.ts";
import type { BackupSource } from "./read-backup.server.ts";

type Files = FilesContent["files"];
type ListedFile = Files[number];
/** Keys of files whose copy is gone, or can't be decrypted. */
export type FileFaults = { missing: string[]; damaged: string[] };
export type RestoredFiles = FileFaults & { copied: number; there: number };

/** A part's key version of one digit with its length, IV and tag. */
const MIN_OVERHEAD = 30;
/** Length of the version, and the version: more than anybody's. */
const VERSION_BYTES = 32;

/** Throws MissingBackupKey for the first copy whose key is not in `keys`. Else that would show when all rows are restored. */
export async function checkFileKeys({ bucket, keys }: BackupSource, files: Files): Promise<void> {
  for (const { key } of files) {
    const start = await bucket.get(`${FILES}${key}`, { range: { offset: 0, length: VERSION_BYTES } });
    const name = copyName(key);
    if (start && !hasKeyFor(keys, await readBytes(start, name))) throw new MissingBackupKey(name);
  }
}

/** Reads and decrypts the copy of every file. Throws MissingBackupKey. */
export async function checkFiles({ bucket, keys }: BackupSource, files: Files): Promise<FileFaults> {
  const faults: FileFaults = { missing: [], damaged: [] };
  for (const file of files) {
    await notingFaults(faults, file.key, async () => {
      const copy = await bucket.head(`${FILES}${file.key}`);
      if (!copy) return false;
      const { parts, readPart } = openCopy(bucket, keys, file, copy.size);
      for (let part = 0; part < parts; part++) await readPart(part);
      return true;
    });
  }
  return faults;
}

/**
 * Puts the files of a backup back, except those that are there. The rows are restored by then, so a file without a usable copy
 * is noted and the others are restored. Throws MissingBackupKey. Repeatable.
 */
export async function restoreFiles(
  { bucket, keys }: BackupSource,
  files: Files,
  target: R2Bucket,
): Promise<RestoredFiles> {
  const result: RestoredFiles = { copied: 0, there: 0, missing: [], damaged: [] };
  for (const file of files) {
    const there = await target.head(file.key);
    if (there?.size === file.size) {
      result.there++;
    } else if (await notingFaults(result, file.key, () => restoreFile(bucket, keys, file, target))) {
      result.copied++;
    }
  }
  return result;
}

/** Returns whether `work`, which returns false if there is no copy, has found a usable one. */
async function notingFaults(faults: FileFaults, key: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    const isThere = await work();
    if (!isThere) faults.missing.push(key);
    return isThere;
  } catch (error) {
    if (!(error instanceof UnusableBackup) || error instanceof MissingBackupKey) throw error;
    faults.damaged.push(key);
    return false;
  }
}

/** Returns false if there is no copy. */
async function restoreFile(from: R2Bucket, keys: string, file: ListedFile, to: R2Bucket): Promise<boolean> {
  const copy = await from.head(`${FILES}${file.key}`);
  if (!copy) return false;
  const { parts, readPart } = openCopy(from, keys, file, copy.size);
  const contentType = copy.customMetadata?.contentType;
  const options = contentType ? { httpMetadata: { contentType } } : {};
  if (parts === 1) {
    await to.put(file.key, await readPart(0), options);
    return true;
  }
  const upload = await to.createMultipartUpload(file.key, options);
  try {
    const uploaded: R2UploadedPart[] = [];
    for (let part = 0; part < parts; part++) uploaded.push(await upload.uploadPart(part + 1, await readPart(part)));
    await upload.complete(uploaded);
  } catch (error) {
    await upload.abort();
    throw error;
  }
  return true;
}

/** Returns how many parts a copy has, and what decrypts one. Both throw UnusableBackup if the copy is damaged. */
function openCopy(bucket: R2Bucket, keys: string, { key, size }: ListedFile, copySize: number) {
  const parts = Math.max(1, Math.ceil(size / PART_BYTES));
  // Each part carries the version of its key, the IV and the tag.
  const overhead = (copySize - size) / parts;
  const name = copyName(key);
  if (!Number.isInteger(overhead) || overhead < MIN_OVERHEAD) throw new UnusableBackup(`${name} has another size`);
  const readPart = async (part: number): Promise<Uint8Array<ArrayBuffer>> => {
    const length = Math.min(PART_BYTES, size - part * PART_BYTES) + overhead;
    const range = { offset: part * (PART_BYTES + overhead), length };
    const stored = await bucket.get(`${FILES}${key}`, { range });
    if (!stored) throw new UnusableBackup(`${name} was deleted meanwhile`);
    return openBytes(keys, fileContext(key, part, parts), await readBytes(stored, name), name);
  };
  return { parts, readPart };
}

function copyName(key: string): string {
  return `the copy of the file ${key}`;
}
