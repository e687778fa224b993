import { data } from "@remix-run/cloudflare";
import type { Db } from "#app/db/db.server.ts";
import { type ListCursor, readCursor } from "#app/http/lists/list-query.ts";
import { readCodeQuery } from "#app/orders/top-up/code-batches.server.ts";

const CODES_PER_PAGE = 50;

type CodeQuery = ReturnType<typeof readCodeQuery>;

/** Reads a page of a list of codes, and what the form that creates others needs. */
export async function readCodePage<Page>(
  db: Db,
  request: Request,
  list: (db: Db, query: CodeQuery, cursor: ListCursor | null, limit: number) => Promise<Page>,
) {
  const { searchParams } = new URL(request.url);
  const query = readCodeQuery(searchParams);
  const page = await list(db, query, readCursor(searchParams), CODES_PER_PAGE);
  return { ...page, ...query, once: crypto.randomUUID(), now: Date.now() };
}

/** Responds to the form that creates codes. They are shown only once, so no cache may keep them. */
export function respondWithCodes<Shown>({ status, ...shown }: Shown & { status: number }) {
  return data(shown, { status, headers: { "Cache-Control": "no-store" } });
}
