import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { pageOf } from "#app/components/navigation/more-link.tsx";
import { readAuditLog } from "#app/console/audit/audit-log.server.ts";
import { readAuditQuery } from "#app/console/audit/audit-query.server.ts";
import { readQuarantinePage, readQuarantineQuery } from "#app/console/catalog/imports/quarantine-page.server.ts";
import { listServices, readServiceQuery } from "#app/console/catalog/services/table/service-list.server.ts";
import { listEntries, readEntryQuery } from "#app/console/customers/customer-entries.server.ts";
import { listCustomers, readCustomerQuery } from "#app/console/customers/customer-list.server.ts";
import { selectNotes } from "#app/console/customers/notes/customer-notes.server.ts";
import { listPayments, readPaymentQuery } from "#app/console/customers/payment-list.server.ts";
import { listCodes, readCodeQuery } from "#app/console/money/codes/batch-codes.server.ts";
import {
  listWaitingCancellations,
  listWaitingRefills,
  readWaitingQuery,
} from "#app/console/orders/decisions/refill-cancellation-queue.server.ts";
import { listStaffOrderPage, readStaffOrderQuery } from "#app/console/orders/list/staff-order-page.server.ts";
import { ALL_STORES } from "#app/console/stores/all-stores.server.ts";
import { connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { customerNotes, securityEvents } from "#app/db/schema.server.ts";
import { listFailedEmails, listSuppressed, listWaitingEmails, readEmailQuery } from "#app/email/email-admin.server.ts";
import { type ListCursor, type ListPage, parseCursor } from "#app/http/lists/list-query.ts";
import { listOwnOrders } from "#app/orders/api/own-orders.server.ts";
import { listNews } from "#app/orders/catalog/service-changes.server.ts";
import { listOrderPage } from "#app/orders/list/order-list.server.ts";
import { listTransactions } from "#app/orders/wallet/transactions.server.ts";
import { isInFilter, readInbox } from "#app/support/inbox/inbox.server.ts";
import { INBOX_VIEWS } from "#app/support/inbox/inbox-view.ts";
import { search } from "#app/support/inbox/message-search.server.ts";
import { db } from "./customer.ts";
import { fillInbox } from "./inbox-fill.ts";
import { fillLists } from "./list-fill.ts";

/** Few, so that they are many pages of a few rows each. */
const ROWS = 9;
const PAGES_OF = [2, ROWS - 1, ROWS, ROWS + 1];
/** More than any list has here. */
const ALL = 500;
const AGENT = "agent-of-lists";
const supportDb = connectSupport(env.DB_SUPPORT);
let userId = "";

type Page<Row, Cursor> = { rows: Row[]; next: Cursor | null };
type List = (limit: number) => Promise<unknown[]>;

beforeAll(async () => {
  userId = await fillLists(ROWS);
  for (let at = 0; at < ROWS; at++) {
    // Several at one moment.
    const createdAt = 1 + (at % 2);
    await db.insert(securityEvents).values({ userId, kind: "password_changed", createdAt });
    const note = { userId, authorId: "staff", authorName: "Grace", body: `Note ${at}`, createdAt };
    await db.insert(customerNotes).values(note);
  }
  await fillInbox(env.DB_SUPPORT, { conversations: 100, messagesEach: 1, agents: [AGENT], everyMs: 0.3 });
  await env.DB_SUPPORT.exec(
    [
      "update support_sessions set assignee_id = null, assignee_name = null where status = 'open' and id % 20 = 1",
      "update support_sessions set respond_by = 1 where status = 'open' and id % 30 = 1",
      "update support_sessions set snoozed_until = 9000000000000 where status = 'open' and id % 50 in (11, 21)",
    ].join(";\n"),
  );
});

/** Reads a list to its end, page by page. */
function paged<Row, Cursor>(read: (after: Cursor | null, limit: number) => Promise<Page<Row, Cursor>>): List {
  return async (limit) => {
    const found: Row[] = [];
    let after: Cursor | null = null;
    for (let pages = 0; pages <= ALL; pages++) {
      const page: Page<Row, Cursor> = await read(after, limit);
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      found.push(...page.rows);
      if (page.next === null) return found;
      after = page.next;
    }
    throw new Error("the list has no end");
  };
}

/** Returns a list of the console in each order that it can be sorted by. `given`: what its page is asked for besides. */
function sorted<Query extends { sorts: readonly string[] }, Row>(
  name: string,
  readQuery: (searchParams: URLSearchParams) => Query,
  list: (query: Query, after: ListCursor | null, limit: number) => Promise<ListPage<Row>>,
  { prefix = "", given = "" }: { prefix?: string; given?: string } = {},
): Record<string, List> {
  const { sorts } = readQuery(new URLSearchParams(given));
  const lists = sorts.flatMap((key) =>
    [key, `-${key}`].map((sort): [string, List] => {
      // Read later, as the rows are stored by then.
      const query = () => readQuery(new URLSearchParams(`${given}&${prefix}sort=${sort}`));
      return [`${name} by ${sort}`, paged<Row, string>((after, limit) => list(query(), parseCursor(after), limit))];
    }),
  );
  return Object.fromEntries(lists);
}

const SORTED_BY_TIME = { sorts: ["created"] };

const LISTS: Record<string, List> = {
  ...sorted("services", readServiceQuery, (query, after, limit) => listServices(db, query, after, limit)),
  ...sorted("customers", readCustomerQuery, (query, after, limit) => listCustomers(db, query, after, limit)),
  ...sorted("payments", readPaymentQuery, (query, after, limit) => listPayments(db, query, after, limit), {
    given: "state=all",
  }),
  ...sorted(
    "a customer's ledger",
    (params) => readEntryQuery(userId, params),
    (query, after, limit) => listEntries(db, query, after, limit),
    { prefix: "entries-" },
  ),
  ...sorted(
    "refills",
    (params) => readWaitingQuery(params, ""),
    (query, after, limit) => listWaitingRefills(db, query, after, limit),
  ),
  ...sorted(
    "cancellations",
    (params) => readWaitingQuery(params, ""),
    (query, after, limit) => listWaitingCancellations(db, query, after, limit),
  ),
  ...sorted(
    "failed emails",
    (params) => readEmailQuery(params, false),
    (query, after, limit) => listFailedEmails(db, query, after, limit),
  ),
  ...sorted(
    "waiting emails",
    (params) => readEmailQuery(params, true),
    (query, after, limit) => listWaitingEmails(db, query, after, limit),
  ),
  ...sorted(
    "suppressed addresses",
    (params) => readEmailQuery(params, false),
    (query, after, limit) => listSuppressed(db, query, after, limit),
  ),
  ...sorted("codes", readCodeQuery, (query, after, limit) => listCodes(db, 1, query, after, limit)),
  ...sorted(
    "staff's orders",
    (params) => ({ ...SORTED_BY_TIME, params }),
    async ({ params }, after, limit) => {
      const { query } = await readStaffOrderQuery(db, params);
      return query === null ? { rows: [], next: null } : listStaffOrderPage(db, query, after, limit);
    },
    { given: "state=all" },
  ),
  ...sorted(
    "the audit log",
    (params) => ({ ...SORTED_BY_TIME, params }),
    async ({ params }, after, limit) => readAuditLog(db, (await readAuditQuery(db, params)).query, after, limit),
  ),
  quarantine: paged<unknown, string>((after, limit) => {
    const query = readQuarantineQuery(new URLSearchParams());
    return readQuarantinePage(db, query, parseCursor(after), limit, false);
  }),
  ...Object.fromEntries(
    ALL_STORES.flatMap(({ resource, sorts, list }) => {
      const readQuery = (params: URLSearchParams) => {
        const sort = params.get("sort") ?? "";
        return { sorts, search: "", sort: { key: sort.replace("-", ""), descending: sort.startsWith("-") } };
      };
      return Object.entries(
        sorted(resource.page.label, readQuery, (query, after, limit) => list(db, query, after, limit)),
      );
    }),
  ),
  "a customer's notes": paged<unknown, number>(async (before, limit) =>
    pageOf(await selectNotes(db, userId, before, limit), limit, ({ id }) => id),
  ),
  "an account's activity": paged<unknown, number>(async (before, limit) =>
    pageOf(await listSecurityEvents(db, userId, { ...(before !== null && { before }), limit }), limit, ({ id }) => id),
  ),
  ...byName(["all", "topups"] as const, "a customer's transactions", (filter) =>
    paged<unknown, number>((before, limit) => listTransactions(db, userId, { filter, before }, limit)),
  ),
  ...byName(["all", "open", "Pending"] as const, "a customer's orders", (filter) =>
    paged<unknown, number>((before, limit) => listOrderPage(db, userId, { filter, search: "", before }, limit)),
  ),
  "a customer's orders that a search finds": paged<unknown, number>((before, limit) =>
    listOrderPage(db, userId, { filter: "all", search: "/p/", before }, limit),
  ),
  ...byName(["any", "Pending"] as const, "a program's orders", (wanted) =>
    paged<unknown, number>(async (before, limit) => {
      const status = wanted === "any" ? null : wanted;
      const query = { reference: null, status, before, limit };
      const { orders, next } = await listOwnOrders(db, { userId, isTest: false }, query);
      return { rows: orders, next };
    }),
  ),
  "changes of the catalog": paged<unknown, number>(async (before, limit) => {
    const { changes, next } = await listNews(db, { before, limit });
    return { rows: changes, next };
  }),
  ...byName(INBOX_VIEWS, "conversations", (view) =>
    paged<unknown, string>((after, limit) => readInbox(supportDb, { view, agentId: AGENT, after, limit })),
  ),
  "messages that a search finds": paged<unknown, number>(async (before, limit) => {
    const { hits, next } = await search(supportDb, "order", before, limit);
    return { rows: hits, next };
  }),
  "messages that a search finds in closed conversations": paged<unknown, number>(async (before, limit) => {
    const isWanted = isInFilter({ view: "closed", tag: "", assigneeId: "" }, AGENT, Date.now());
    const { hits, next } = await search(supportDb, "order", before, limit, isWanted);
    return { rows: hits, next };
  }),
};

function byName<Name extends string>(
  names: readonly Name[],
  of: string,
  list: (name: Name) => List,
): Record<string, List> {
  return Object.fromEntries(names.map((name) => [`${of}: ${name}`, list(name)]));
}

test.for(Object.keys(LISTS))("shows each row once on its pages, however many rows one has: %s", async (name) => {
  const list = LISTS[name] as List;
  const whole = await list(ALL);
  expect(whole.length).toBeGreaterThan(1);
  expect(new Set(whole.map((row) => JSON.stringify(row))).size).toBe(whole.length);
  for (const limit of PAGES_OF) expect(await list(limit), `pages of ${limit}`).toEqual(whole);
});

test("has a message of each conversation among those that a search finds", async () => {
  expect(await LISTS["messages that a search finds"]?.(ROWS)).toHaveLength(await supportDb.$count(supportSessions));
});
