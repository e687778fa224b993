import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { countInbox, INBOX_PAGE, readInbox, readInboxRows } from "#app/support/inbox/inbox.server.ts";
import { type InboxPage, parseView } from "#app/support/inbox/inbox-view.ts";
import { listFilters } from "#app/support/inbox/saved-filters.server.ts";

const IDS_MAX = 100;
const NO_STORE = { headers: { "Cache-Control": "no-store" } };

/**
 * Returns what an open console needs: a page of a view (`?view=&after=&limit=`) or the given conversations (`?ids=a,b`),
 * with the counts of every view.
 */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireStaffCall(request, context);
  const { searchParams } = new URL(request.url);
  const ids = searchParams.get("ids");
  if (ids !== null) {
    const requested = ids.split(",").filter((id) => id !== "");
    if (requested.length > IDS_MAX) return new Response(null, { status: 400 });
    const readAt = Date.now();
    const [rows, counted] = await Promise.all([
      readInboxRows(context.supportDb, requested),
      countInbox(context.supportDb, userId, readAt),
    ]);
    return Response.json({ rows, next: null, ...counted, readAt } satisfies InboxPage, NO_STORE);
  }
  const filterId = parseId(searchParams.get("filter"));
  const filters = filterId === null ? [] : await listFilters(context.db, userId);
  const filter = filters.find(({ id }) => id === filterId) ?? null;
  const page = await readInbox(context.supportDb, {
    view: filter?.view ?? parseView(searchParams.get("view")),
    filter,
    agentId: userId,
    after: searchParams.get("after"),
    limit: Math.max(Number(searchParams.get("limit")) || 0, INBOX_PAGE),
  });
  return Response.json(page, NO_STORE);
}
