import {
  listWaitingCancellations,
  listWaitingRefills,
  readWaitingQuery,
  type WaitingCancellation,
  type WaitingRefill,
} from "#app/console/orders/decisions/refill-cancellation-queue.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { CANCELLATIONS_LIST, REFILLS_LIST } from "./queue-lists.ts";

const REFILL_COLUMNS: CsvColumns<WaitingRefill> = {
  refill: ({ id }) => id,
  order: ({ orderId }) => orderId,
  service: ({ service }) => service,
  link: ({ link }) => link,
  quantity: ({ quantity, runs }) => quantity * runs,
  status: ({ status }) => status,
  fulfillment: ({ fulfillment }) => fulfillment,
  requested_at: ({ createdAt }) => spreadsheetTime(createdAt),
};

const CANCELLATION_COLUMNS: CsvColumns<WaitingCancellation> = {
  order: ({ orderId }) => orderId,
  service: ({ service }) => service,
  link: ({ link }) => link,
  quantity: ({ quantity, runs }) => quantity * runs,
  remains: ({ remains }) => remains,
  order_status: ({ orderStatus }) => orderStatus,
  requested_at: ({ createdAt }) => spreadsheetTime(createdAt),
};

/** Exports the refills that wait for a person, as their page lists them. */
export function exportWaitingRefills(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readWaitingQuery(searchParams, REFILLS_LIST);
  return streamListCsv(REFILL_COLUMNS, (after, limit) => listWaitingRefills(db, query, after, limit));
}

/** Exports the cancellations that wait for a person, as their page lists them. */
export function exportWaitingCancellations(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readWaitingQuery(searchParams, CANCELLATIONS_LIST);
  return streamListCsv(CANCELLATION_COLUMNS, (after, limit) => listWaitingCancellations(db, query, after, limit));
}
