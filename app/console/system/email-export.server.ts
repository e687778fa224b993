import type { Db } from "#app/db/db.server.ts";
import {
  findSuppressed,
  listFailedEmails,
  listSuppressed,
  listWaitingEmails,
  readEmailQuery,
  type StaffEmail,
  type StaffSuppression,
} from "#app/email/email-admin.server.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { type CsvColumns, LIST_ROWS_PER_READ, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { EMAIL_VIEWS, readAddressSearch } from "./email-names.ts";

const EMAIL_CELLS: CsvColumns<StaffEmail> = {
  email: ({ id }) => id,
  queued_at: ({ createdAt }) => spreadsheetTime(createdAt),
  recipient: ({ recipient }) => recipient,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts,
  next_attempt_at: ({ nextAttemptAt }) => (nextAttemptAt === null ? "" : spreadsheetTime(nextAttemptAt)),
  last_error: ({ lastError }) => lastError ?? "",
};

const SUPPRESSION_CELLS: CsvColumns<StaffSuppression> = {
  since: ({ createdAt }) => spreadsheetTime(createdAt),
  address: ({ address }) => address ?? "",
  reason: ({ reason }) => reason,
  detail: ({ detail }) => detail ?? "",
};

/** Exports the view of the emails that the URL names. A search for addresses exports what it shows at most. */
export function exportEmails(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const view = oneOf(EMAIL_VIEWS, searchParams.get("state"));
  const query = readEmailQuery(searchParams, view === "waiting");
  if (view !== "suppressed") {
    const list = view === "waiting" ? listWaitingEmails : listFailedEmails;
    return streamListCsv(EMAIL_CELLS, (after, limit) => list(db, query, after, limit));
  }
  const search = readAddressSearch(searchParams);
  return streamListCsv(SUPPRESSION_CELLS, async (after, limit) =>
    search === ""
      ? listSuppressed(db, query, after, limit)
      : { rows: await findSuppressed(db, search, LIST_ROWS_PER_READ), next: null },
  );
}
