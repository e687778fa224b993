import { and, asc, desc, eq, gt, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type Order, orders } from "#app/db/schema.server.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";

const NEIGHBORS_EACH = 3;
/** The newest and oldest order that can be a neighbor, as a distance in ids, so that few rows are read. */
const MAX_DISTANCE = 2000;
/** A provider with more ids in between has many other customers, and the gaps say nothing. */
const MAX_SPAN = 100;

export type Neighbor = { orderId: number; providerOrderId: string };

/** Evidence from the provider's ids about an order that was cut off. Staff judge it; nothing acts on it. */
export type HeldEvidence = {
  /** The orders that the provider accepted just before and after, oldest first. */
  neighbors: Neighbor[];
  /** Ids between theirs that no order of ours has. Null: the ids are not numbers, or too far apart. */
  missing: number[] | null;
};

/** Returns the evidence on a held order without a provider id, or null for other orders. */
export async function readHeldEvidence(
  db: Db,
  order: Pick<Order, "id" | "fulfillment" | "providerId" | "providerOrderId">,
): Promise<HeldEvidence | null> {
  const { id, fulfillment, providerId, providerOrderId } = order;
  if (fulfillment !== "held" || providerId === null || providerOrderId !== null) return null;
  const columns = { orderId: orders.id, providerOrderId: orders.providerOrderId };
  const isAccepted = and(eq(orders.providerId, providerId), isNotNull(orders.providerOrderId));
  const [before, after] = await db.batch([
    db
      .select(columns)
      .from(orders)
      .where(and(lt(orders.id, id), gt(orders.id, id - MAX_DISTANCE), isAccepted))
      .orderBy(desc(orders.id))
      .limit(NEIGHBORS_EACH),
    db
      .select(columns)
      .from(orders)
      .where(and(gt(orders.id, id), lt(orders.id, id + MAX_DISTANCE), isAccepted))
      .orderBy(asc(orders.id))
      .limit(NEIGHBORS_EACH),
  ]);
  const neighbors = [...before.reverse(), ...after].map((row) => ({
    ...row,
    providerOrderId: row.providerOrderId ?? "",
  }));
  const isEnclosed = before.length > 0 && after.length > 0;
  return { neighbors, missing: isEnclosed ? await missingIds(db, providerId, neighbors) : null };
}

async function missingIds(db: Db, providerId: number, neighbors: Neighbor[]): Promise<number[] | null> {
  const ids = neighbors.map(({ providerOrderId }) => parseWrittenId(providerOrderId));
  const numbers = ids.filter((id) => id !== null);
  const [lowest, highest] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length < ids.length || highest - lowest > MAX_SPAN) return null;
  const between = Array.from({ length: highest - lowest + 1 }, (_, n) => lowest + n);
  const rows = await db
    .select({ providerOrderId: orders.providerOrderId })
    .from(orders)
    .where(
      and(
        eq(orders.providerId, providerId),
        inArray(orders.providerOrderId, sql`(select value from json_each(${JSON.stringify(between.map(String))}))`),
      ),
    );
  const known = new Set(rows.map((row) => Number(row.providerOrderId)));
  return between.filter((id) => !known.has(id));
}
