import type { Chunk, FilesContent, Manifest, Row } from "#app/backup/format/backup-objects.ts";
import { readChunk, readManifest, UnusableBackup } from "#app/backup/format/sealed-objects.server.ts";

export type BackupSource = { bucket: R2Bucket; keys: string };

/** Rows that changed while the tables were read, by `database.table` and rowid: as at the cut, or null if gone. */
export type LaterRows = Map<string, Map<number, Row | null>>;

export type CheckedBackup = {
  manifest: Manifest;
  laterRows: LaterRows;
  files: FilesContent["files"];
};

/**
 * Reads the manifest and every chunk, and throws UnusableBackup at the first that is missing, damaged or of another key.
 * Nothing of the target is touched before.
 */
export async function checkBackup(
  { bucket, keys }: BackupSource,
  backupId: string,
  onChunk: (chunk: Chunk) => void = () => {},
): Promise<CheckedBackup> {
  const manifest = await readManifest(bucket, keys, backupId);
  const laterRows: LaterRows = new Map();
  const files: FilesContent["files"] = [];
  for (const [index, chunk] of manifest.chunks.entries()) {
    if (chunk.no !== index + 1)
      throw new UnusableBackup(`the manifest of ${backupId} is torn: chunk ${index + 1} is not listed`);
    const content = await readChunk(bucket, keys, backupId, chunk);
    if (content.kind === "changes") {
      for (const [table, { rows, gone }] of Object.entries(content.tables)) {
        const later = byRowId(laterRows, `${chunk.database}.${table}`);
        for (const row of rows) later.set(Number(row[0]), row);
        for (const id of gone) later.set(id, null);
      }
    }
    if (content.kind === "files") files.push(...content.files);
    onChunk(chunk);
  }
  return { manifest, laterRows, files };
}

function byRowId(laterRows: LaterRows, table: string): Map<number, Row | null> {
  const found = laterRows.get(table);
  if (found) return found;
  const added = new Map<number, Row | null>();
  laterRows.set(table, added);
  return added;
}
