import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { findCustomers } from "#app/console/customers/customer-list.server.ts";
import { findOrders } from "#app/console/orders/list/find-orders.server.ts";
import { cutText } from "#app/cut-text.ts";
import { findPeople } from "#app/support/inbox/message-search.server.ts";

const TEXT_MAX_CHARS = 100;
/** Results per kind. */
const SHOWN = 5;
const NO_STORE = { headers: { "Cache-Control": "no-store" } };

export type PaletteFound = {
  conversations: Awaited<ReturnType<typeof findPeople>>;
  /** Empty for agents, who may not open a customer's page. */
  customers: Awaited<ReturnType<typeof findCustomers>>;
  orders: Awaited<ReturnType<typeof findOrders>>;
};

/** Finds what the command palette can open: the same pages that the viewer's role may. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { role } = await requireStaffCall(request, context);
  const text = cutText((new URL(request.url).searchParams.get("q") ?? "").trim(), TEXT_MAX_CHARS);
  if (text === "")
    return Response.json({ conversations: [], customers: [], orders: [] } satisfies PaletteFound, NO_STORE);
  const [conversations, customers, orders] = await Promise.all([
    findPeople(context.supportDb, text, SHOWN),
    role === "admin" ? findCustomers(context.db, text, SHOWN) : [],
    findOrders(context.db, text),
  ]);
  return Response.json({ conversations, customers, orders } satisfies PaletteFound, NO_STORE);
}
