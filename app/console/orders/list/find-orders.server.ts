import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { orders, profiles, services } from "#app/db/schema.server.ts";
import { lookupEmail } from "#app/email-address.ts";
import { ftsPhrase } from "#app/http/lists/full-text.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import { linkKeyOf } from "#app/orders/rules/links/link-key.server.ts";
import { LIVE } from "./order-views.server.ts";

/** Finds orders by what a customer or a provider names them by. Each way to find has its index. */

const MAX_SEARCH_CHARACTERS = 2100;
/** Orders that one id can name: one of ours, and one at each provider. */
const SAME_ID_SHOWN = 50;
/** Customers whose orders are listed together. Each one more makes a page of them read more. */
const CUSTOMERS_SHOWN = 3;
/** The search index has all runs of three characters of each name and email. */
const INDEXED_CHARACTERS = 3;
const PALETTE_SHOWN = 5;

export type FoundCustomer = { userId: string; email: string };

/** What a search found. One text can name several orders, and several kinds of things. */
export type FoundOrders = {
  /** Orders with this id, here or at a provider. */
  ids: number[];
  /** The key of a link that orders have. Null: none has it. */
  linkKey: number | null;
  /** The reference that orders have. Null: none has it. */
  reference: string | null;
  customers: FoundCustomer[];
  /** More customers match than are listed. */
  hasMoreCustomers: boolean;
  /** The only order that was found. */
  only: number | null;
};

export function readSearch(searchParams: URLSearchParams): string {
  return cutText((searchParams.get("q") ?? "").trim(), MAX_SEARCH_CHARACTERS);
}

/** Finds orders by an id of ours or of a provider, a link, a reference, or a part of the customer's name or email. */
export async function searchOrders(db: Db, text: string): Promise<FoundOrders | null> {
  const linkKey = linkKeyOf(text);
  const [[ours, theirs, byReference, byLink], customers] = await Promise.all([
    db.batch([
      idsOf(db, eq(orders.id, parseWrittenId(text) ?? 0), SAME_ID_SHOWN),
      idsOf(db, eq(orders.providerOrderId, text), SAME_ID_SHOWN),
      idsOf(db, eq(orders.reference, text), 2),
      idsOf(db, sql`${orders.linkKey} is not null and ${orders.linkKey} = ${linkKey}`, 2),
    ]),
    findCustomers(db, text),
  ]);
  const ids = [...new Set([...ours, ...theirs].map(({ id }) => id))];
  const all = new Set([...ids, ...byReference.map(({ id }) => id), ...byLink.map(({ id }) => id)]);
  if (all.size === 0 && customers.length === 0) return null;
  const [only = null] = all;
  return {
    ids,
    linkKey: byLink.length > 0 ? linkKey : null,
    reference: byReference.length > 0 ? text : null,
    customers: customers.slice(0, CUSTOMERS_SHOWN),
    hasMoreCustomers: customers.length > CUSTOMERS_SHOWN,
    only: all.size === 1 && customers.length === 0 ? only : null,
  };
}

function idsOf(db: Db, isWanted: SQL | undefined, most: number) {
  return db.select({ id: orders.id }).from(orders).where(and(isWanted, LIVE)).orderBy(desc(orders.id)).limit(most);
}

/** Finds the customer of an email, or else those whose name or email contains the text, the newest first. */
async function findCustomers(db: Db, text: string): Promise<FoundCustomer[]> {
  const columns = { userId: profiles.userId, email: profiles.email };
  if (text.includes("@")) {
    const exact = await db
      .select(columns)
      .from(profiles)
      .where(eq(profiles.email, lookupEmail(text)))
      .limit(1);
    if (exact.length > 0) return exact;
  }
  // A number is an id, and would be found in many emails.
  if ([...text].length < INDEXED_CHARACTERS || parseWrittenId(text) !== null) return [];
  return db.all<FoundCustomer>(sql`select p.user_id as userId, p.email as email
    from (select rowid as id from profiles_search where profiles_search match ${ftsPhrase(text)} order by rowid desc
      limit ${CUSTOMERS_SHOWN + 1}) found cross join profiles p where p.rowid = found.id order by found.id desc`);
}

/** Finds a few orders by an id, a link or a reference: for the command palette. */
export async function findOrders(db: Db, text: string) {
  const linkKey = linkKeyOf(text);
  const select = (isWanted: SQL) =>
    db
      .select({ id: orders.id, service: services.name, status: orders.status })
      .from(orders)
      .innerJoin(services, eq(services.id, orders.serviceId))
      .where(and(isWanted, LIVE))
      .orderBy(desc(orders.id));
  const found = await db.batch([
    select(eq(orders.id, parseWrittenId(text) ?? 0)),
    select(eq(orders.providerOrderId, text)).limit(SAME_ID_SHOWN),
    select(eq(orders.reference, text)).limit(PALETTE_SHOWN),
    select(sql`${orders.linkKey} is not null and ${orders.linkKey} = ${linkKey}`).limit(PALETTE_SHOWN),
  ]);
  return [...new Map(found.flat().map((order) => [order.id, order])).values()];
}
