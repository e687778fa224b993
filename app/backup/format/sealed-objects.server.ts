import { sealBytes, unsealBytes } from "#app/crypto/seal.server.ts";
import {
  type Chunk,
  type ChunkContent,
  chunkContext,
  chunkKey,
  type Manifest,
  manifestContext,
  manifestKey,
} from "./backup-objects.ts";

/** Reports an object that a restore can't use. The message says which one and why. */
export class UnusableBackup extends Error {
  override name = "UnusableBackup";
}

/** Reports that BACKUP_KEYS lacks a key. Another backup or file may need only those that are there. */
export class MissingBackupKey extends UnusableBackup {
  constructor(name: string) {
    super(`${name} cannot be decrypted: BACKUP_KEYS has no key of its version`);
  }
}

type NewChunk = Pick<Chunk, "no" | "database" | "tableName" | "rows">;

/** Compresses, encrypts and stores a chunk. `plainBytes`: of its content. */
export async function putChunk(
  bucket: R2Bucket,
  keys: string,
  backupId: string,
  chunk: NewChunk,
  content: ChunkContent,
): Promise<{ chunk: Chunk; plainBytes: number }> {
  const named = { ...chunk, kind: content.kind };
  const plain = JSON.stringify(content);
  const sealed = await sealText(keys, chunkContext(backupId, named), plain);
  await bucket.put(chunkKey(backupId, chunk.no), sealed);
  return { chunk: { ...named, bytes: sealed.length, sha256: await sha256Hex(sealed) }, plainBytes: plain.length };
}

/** Returns the content of a chunk. Throws UnusableBackup if the object is missing, damaged, another one or unreadable. */
export async function readChunk(bucket: R2Bucket, keys: string, backupId: string, chunk: Chunk): Promise<ChunkContent> {
  const name = `chunk ${chunk.no} of ${backupId} (${chunk.tableName || chunk.kind})`;
  const sealed = await readChecked(bucket, backupId, chunk);
  return (await openJson(keys, chunkContext(backupId, chunk), sealed, name)) as ChunkContent;
}

/** Returns a chunk's object if it is there and unchanged, else throws UnusableBackup. */
export async function readChecked(bucket: R2Bucket, backupId: string, chunk: Chunk): Promise<Uint8Array> {
  const name = `chunk ${chunk.no} of ${backupId} (${chunk.tableName || chunk.kind})`;
  const stored = await bucket.get(chunkKey(backupId, chunk.no));
  if (!stored) throw new UnusableBackup(`${name} is missing`);
  const sealed = await readBytes(stored, name);
  if (sealed.length !== chunk.bytes || (await sha256Hex(sealed)) !== chunk.sha256) {
    throw new UnusableBackup(`${name} is damaged: its checksum is not the one in the manifest`);
  }
  return sealed;
}

export async function putManifest(bucket: R2Bucket, keys: string, manifest: Manifest): Promise<number> {
  const sealed = await sealText(keys, manifestContext(manifest.backupId), JSON.stringify(manifest));
  await bucket.put(manifestKey(manifest.backupId), sealed);
  return sealed.length;
}

export async function readManifest(bucket: R2Bucket, keys: string, backupId: string): Promise<Manifest> {
  const stored = await bucket.get(manifestKey(backupId));
  if (!stored) throw new UnusableBackup(`${backupId} has no manifest: it is not complete`);
  const name = `the manifest of ${backupId}`;
  const sealed = await readBytes(stored, name);
  const manifest = (await openJson(keys, manifestContext(backupId), sealed, name)) as Manifest;
  if (manifest.version !== 1) throw new UnusableBackup(`${backupId} has the unknown format ${manifest.version}`);
  return manifest;
}

async function sealText(keys: string, context: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return sealBytes(keys, context, new Uint8Array(await new Response(plain).arrayBuffer()));
}

/** Returns the bytes of an object. Throws UnusableBackup if they end early, as those of a torn local file do. */
export async function readBytes(stored: R2ObjectBody, name: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await stored.arrayBuffer());
  } catch (error) {
    throw new UnusableBackup(`${name} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Decrypts an object, or a part of one. Throws UnusableBackup, MissingBackupKey if the key of its version isn't there. */
export async function openBytes(
  keys: string,
  context: string,
  sealed: Uint8Array,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await unsealBytes(keys, context, sealed);
  } catch (error) {
    if (String(error).includes("no encryption key")) throw new MissingBackupKey(name);
    throw new UnusableBackup(
      `${name} cannot be decrypted: the key in BACKUP_KEYS is another one, or the object is damaged or was moved`,
    );
  }
}

async function openJson(keys: string, context: string, sealed: Uint8Array, name: string): Promise<unknown> {
  const compressed = await openBytes(keys, context, sealed, name);
  const plain = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
