import { existsSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join, sep } from "node:path";

/** Options of the bucket calls that a restore makes. */
type Listing = { prefix: string; delimiter?: string };
type Range = { range?: { offset: number; length: number } };

/** Returns whether a folder holds the objects of the bucket for backups, as rclone copies them out of an account. */
export function isBucketFolder(folder: string): boolean {
  return existsSync(join(folder, "backups"));
}

/**
 * Reads such a folder as a bucket: a file per object, named like its key. Only what a restore calls works. Copied files
 * have no type of their own; it is in their rows.
 */
export function openBucketFolder(folder: string): R2Bucket {
  const sizeOf = (key: string): number | null => {
    if (key.split("/").includes("..")) return null;
    const found = statSync(join(folder, key), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : null;
  };
  return {
    async head(key: string) {
      const size = sizeOf(key);
      return size === null ? null : { key, size };
    },
    async get(key: string, { range }: Range = {}) {
      const size = sizeOf(key);
      if (size === null) return null;
      return { key, size, arrayBuffer: () => readPart(join(folder, key), range ?? { offset: 0, length: size }) };
    },
    async list({ prefix, delimiter }: Listing) {
      const entries = await readdir(join(folder, prefix), { withFileTypes: true, recursive: !delimiter }).catch(
        () => [],
      );
      const keyOf = (entry: (typeof entries)[number]) =>
        join(entry.parentPath, entry.name).slice(join(folder, sep).length).replaceAll(sep, "/");
      const objects = entries.filter((entry) => entry.isFile()).map(keyOf);
      const folders = delimiter ? entries.filter((entry) => entry.isDirectory()).map(keyOf) : [];
      return {
        objects: objects.sort().map((key) => ({ key, uploaded: statSync(join(folder, key)).mtime })),
        delimitedPrefixes: folders.sort().map((key) => `${key}/`),
        truncated: false,
      };
    },
  } as unknown as R2Bucket;
}

/** Ends early where the file does, as R2 does. */
async function readPart(file: string, { offset, length }: { offset: number; length: number }): Promise<ArrayBuffer> {
  const handle = await open(file);
  try {
    const bytes = new Uint8Array(length);
    let read = 0;
    while (read < length) {
      const { bytesRead } = await handle.read(bytes, read, length - read, offset + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return bytes.buffer.slice(0, read);
  } finally {
    await handle.close();
  }
}
