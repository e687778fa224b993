/** The names and shapes of what a backup consists of in R2. docs/backup.md describes them for people. */

export type DatabaseName = "DB" | "DB_SUPPORT";
export const DATABASES: DatabaseName[] = ["DB", "DB_SUPPORT"];

export type Value = string | number | null;
/** The values of a row, in the order of its table's `columns`. The first is its rowid. */
export type Row = Value[];

export type BackedUpTable = {
  database: DatabaseName;
  name: string;
  /** `rowid`, or the INTEGER PRIMARY KEY, which is the same, then the other columns. */
  columns: string[];
};

/** Rows of one table as they were when the page was read. A later `changes` chunk replaces those that changed since. */
export type RowsContent = { kind: "rows"; rows: Row[] };
/** Rows that changed meanwhile, by table: as they are later, and the ids of those that are gone. */
export type ChangesContent = { kind: "changes"; tables: Record<string, { rows: Row[]; gone: number[] }> };
/** Files that have a copy. */
export type FilesContent = { kind: "files"; files: { key: string; size: number; etag: string }[] };
export type ChunkContent = RowsContent | ChangesContent | FilesContent;

/** A stored chunk. `bytes` and `sha256` are those of the object, which is compressed and encrypted. */
export type Chunk = {
  no: number;
  database: DatabaseName;
  kind: ChunkContent["kind"];
  /** Name of the table of `rows`, otherwise empty. */
  tableName: string;
  rows: number;
  bytes: number;
  sha256: string;
};

/** The moment of one database that the backup holds. */
export type Cut = {
  at: number;
  /** The last ledger entry then. Of the main database only. */
  ledgerId: number | null;
  /** The highest ids that AUTOINCREMENT has given. */
  sequences: Record<string, number>;
  /** The migration that had been applied last. */
  migration: string;
};

export type Manifest = {
  version: 1;
  backupId: string;
  startedAt: number;
  finishedAt: number;
  tables: BackedUpTable[];
  cuts: Record<DatabaseName, Cut>;
  chunks: Chunk[];
  /** How many faults the nightly ledger check knew of. With none, the backup is sound. */
  ledgerFaults: number;
};

export const BACKUPS = "backups/";
export const FILES = "files/";
export const ERASURES = "erasures/";

export function backupPrefix(backupId: string): string {
  return `${BACKUPS}${backupId}/`;
}

/** Written last: a backup is complete if it has one. */
export function manifestKey(backupId: string): string {
  return `${backupPrefix(backupId)}manifest`;
}

export function chunkKey(backupId: string, no: number): string {
  return `${backupPrefix(backupId)}${String(no).padStart(6, "0")}`;
}

/** Identity of a chunk, bound in by its encryption, so that it can't stand in for another one. */
export function chunkContext(
  backupId: string,
  { no, database, kind, tableName }: Omit<Chunk, "rows" | "bytes" | "sha256">,
) {
  return `backup:${backupId}:${no}:${database}:${kind}:${tableName}`;
}

export function manifestContext(backupId: string): string {
  return `backup:${backupId}:manifest`;
}

export function fileContext(key: string, part: number, parts: number): string {
  return `backup-file:${key}:${part}/${parts}`;
}

/** Returns the id of a backup that starts now. Ids sort by time. */
export function newBackupId(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

/** Returns when the backup started, in ms, or null if that is no id of one. */
export function timeOfBackup(backupId: string): number | null {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)$/.exec(backupId);
  const time = parts ? Date.parse(`${parts[1]}:${parts[2]}:${parts[3]}`) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
