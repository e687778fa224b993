import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { cutTextStart } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { pendingUploads, uploads } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { ownValue } from "#app/own-value.ts";
import { MAX_ACCOUNT_BYTES, MAX_FILES, MAX_NAME_CHARACTERS, MAX_PENDING } from "./upload-limits.ts";

export type UploadRefusal = { ok: false; status: 400 | 404 | 409 | 413 | 415; text: string };

export const WRONG_CONTENT: UploadRefusal = {
  ok: false,
  status: 415,
  text: "The file's content doesn't match its type, so it was rejected.",
};

/**
 * Returns the select of an insert: the row, if its account has room for it. As a part of the statement that inserts, it
 * counts what others inserted at the same moment.
 */
export function rowWithRoom(
  table: typeof uploads | typeof pendingUploads,
  row: { userId: string; size: number } & Record<string, string | number>,
): SQL {
  const { userId, size } = row;
  const [kept, coming] = [uploads, pendingUploads].map((counted) => ({
    files: sql`(select count(*) from ${counted} where ${counted.userId} = ${userId})`,
    bytes: sql`(select coalesce(sum(${counted.size}), 0) from ${counted} where ${counted.userId} = ${userId})`,
  })) as [Counted, Counted];
  const conditions = [
    sql`${kept.files} + ${coming.files} < ${MAX_FILES}`,
    sql`${kept.bytes} + ${coming.bytes} + ${size} <= ${MAX_ACCOUNT_BYTES}`,
    ...(table === pendingUploads ? [sql`${coming.files} < ${MAX_PENDING}`] : []),
  ];
  const values = Object.keys(getTableColumns(table)).map((name) => sql`${ownValue(row, name)}`);
  return sql`select ${sql.join(values, sql`, `)} where ${sql.join(conditions, sql` and `)}`;
}

type Counted = { files: SQL; bytes: SQL };

/** Returns why the account has no room for the file, or null if it has. */
export async function refuseWithoutRoom(db: Db, userId: string, size: number): Promise<UploadRefusal | null> {
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
  if ((coming?.files ?? 0) >= MAX_PENDING) {
    return { ok: false, status: 409, text: `${MAX_PENDING} uploads are in progress. Finish or remove one first.` };
  }
  if (files >= MAX_FILES)
    return { ok: false, status: 413, text: `You can keep up to ${MAX_FILES} files. Delete some first.` };
  if (bytes + size > MAX_ACCOUNT_BYTES)
    return { ok: false, status: 413, text: "You can keep up to 1 GB. Delete some files first." };
  return null;
}

/** Returns the refusal of a file for which there was no room at the moment of its insert. */
export async function refusedInsert(db: Db, userId: string, size: number): Promise<UploadRefusal> {
  const why = await refuseWithoutRoom(db, userId, size);
  return why ?? { ok: false, status: 409, text: "Other uploads finished at the same moment. Try again." };
}

/** Returns a file name without its path, controls and text direction marks. */
export function cleanFileName(name: string): string {
  const clean = cleanName(name.split(/[/\\]/).at(-1) ?? "");
  // Keeps the end: it holds the extension.
  return cutTextStart(clean, MAX_NAME_CHARACTERS) || "file";
}
