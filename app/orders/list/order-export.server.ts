import { and, asc, eq, gt, inArray } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ledger, orders, services } from "#app/db/schema.server.ts";
import { csvLine } from "#app/http/responses/csv-line.ts";
import { decimal } from "#app/orders/rules/money.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import type { OrderFilter } from "./order-list.server.ts";

const READ_AT_ONCE = 1000;
/** Without it a spreadsheet takes the text for Windows-1252. */
const BYTE_ORDER_MARK = "\ufeff";

/** The user's orders as CSV, oldest first, read and sent a piece at a time however many there are. */
export function exportOrdersCsv(
  db: Db,
  userId: string,
  filter: OrderFilter,
  currency: string,
): ReadableStream<Uint8Array> {
  const head = [
    "order",
    "placed_at",
    "status",
    "service_id",
    "service",
    "link",
    "quantity",
    "runs",
    "start_count",
    "remains",
    `charge_${currency}`,
    `refunded_${currency}`,
    "source",
  ];
  return streamCsv(head, async (after) => {
    const rows = await db
      .select({ order: orders, service: services.name })
      .from(orders)
      .innerJoin(services, eq(services.id, orders.serviceId))
      .where(and(eq(orders.userId, userId), eq(orders.isTest, false), withStatus(filter), gt(orders.id, after)))
      .orderBy(asc(orders.id))
      .limit(READ_AT_ONCE);
    return rows.map(({ order, service }) => ({
      id: order.id,
      cells: [
        order.id,
        spreadsheetTime(order.createdAt),
        order.status,
        order.serviceId,
        service,
        order.link,
        order.quantity,
        order.runs,
        order.startCount ?? "",
        order.remains,
        decimal(order.charge, 2),
        decimal(order.refunded, 2),
        order.source,
      ],
    }));
  });
}

/** The user's ledger as CSV, oldest first. */
export function exportLedgerCsv(db: Db, userId: string, currency: string): ReadableStream<Uint8Array> {
  return streamCsv(
    ["entry", "at", "kind", "order", `amount_${currency}`, `balance_${currency}`, "note"],
    async (after) => {
      const rows = await db
        .select()
        .from(ledger)
        .where(and(eq(ledger.userId, userId), gt(ledger.id, after)))
        .orderBy(asc(ledger.id))
        .limit(READ_AT_ONCE);
      return rows.map(({ id, createdAt, kind, orderId, amount, balanceAfter, note }) => ({
        id,
        cells: [
          id,
          spreadsheetTime(createdAt),
          kind,
          orderId ?? "",
          decimal(amount, 2),
          decimal(balanceAfter, 2),
          note,
        ],
      }));
    },
  );
}

type Row = { id: number; cells: (string | number)[] };

function streamCsv(head: string[], read: (after: number) => Promise<Row[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after = 0;
  let begun = false;
  return new ReadableStream({
    async pull(controller) {
      const rows = await read(after);
      const text = rows.map(({ cells }) => csvLine(cells)).join("");
      const piece = begun ? text : BYTE_ORDER_MARK + csvLine(head) + text;
      begun = true;
      after = rows.at(-1)?.id ?? after;
      if (piece !== "") controller.enqueue(encoder.encode(piece));
      if (rows.length < READ_AT_ONCE) controller.close();
    },
  });
}

function withStatus(filter: OrderFilter) {
  if (filter === "all") return undefined;
  return filter === "open" ? inArray(orders.status, OPEN_STATUSES) : eq(orders.status, filter);
}

/** In UTC, in the form that spreadsheets take for a time. */
function spreadsheetTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
