import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { readCursor, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { streamListCsv } from "#app/http/responses/stream-csv.ts";
import type { Options, ResourceRow } from "./resource.ts";
import type { EditedRecord } from "./resource-form.tsx";
import type { ListQuery, Store } from "./store.server.ts";

const ROWS_PER_PAGE = 50;
const SEARCH_MAX_CHARS = 100;

/** Data of a resource's page. */
export type ResourceData<Row> = {
  rows: Row[];
  next: string | null;
  search: string;
  sort: Sort;
  sorts: readonly string[];
  edited: EditedRecord | null;
  options: Options;
  once: string;
  /** In ms. */
  now: number;
  canExport: boolean;
};

/** Returns the loader of a resource's page: a page of its list, and the record that `?edit=` names. */
export function resourceLoader<Row extends ResourceRow, Input>(store: Store<Row, Input>) {
  return async ({ request, context }: LoaderFunctionArgs): Promise<ResourceData<Row>> => {
    const { db } = context;
    const { role } = await requireRole(request, context, ...(store.resource.roles ?? ["admin"]));
    const { searchParams } = new URL(request.url);
    const query = readQuery(store, searchParams);
    const editedId = parseId(searchParams.get("edit"));
    const [page, edited, options] = await Promise.all([
      store.list(db, query, readCursor(searchParams), ROWS_PER_PAGE),
      editedId === null ? undefined : store.read?.(db, editedId),
      store.options?.(db) ?? {},
    ]);
    return {
      ...page,
      ...query,
      sorts: store.sorts,
      edited: edited ? { ...edited, edit: beginEdit(edited.version, edited.texts) } : null,
      options,
      once: crypto.randomUUID(),
      now: Date.now(),
      canExport: role === "admin" && store.csv !== undefined,
    };
  };
}

/** Exports the rows that a resource's page lists. */
export function exportResource<Row extends ResourceRow, Input>(store: Store<Row, Input>) {
  return (db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> => {
    const query = readQuery(store, searchParams);
    return streamListCsv(store.csv ?? {}, (after, limit) => store.list(db, query, after, limit));
  };
}

function readQuery<Row extends ResourceRow, Input>(store: Store<Row, Input>, searchParams: URLSearchParams): ListQuery {
  return {
    search: cutText((searchParams.get("q") ?? "").trim(), SEARCH_MAX_CHARS),
    sort: readSort(searchParams, store.sorts, store.sortedBy),
  };
}
