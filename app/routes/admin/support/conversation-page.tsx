import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData, useOutletContext } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { AccountDetails } from "#app/console/customers/account-details.tsx";
import { readAccountAndOrders } from "#app/console/customers/customer-admin.server.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { OpenConversation } from "#app/support/console/conversation/open-conversation.tsx";
import { readEarlier } from "#app/support/inbox/earlier-conversations.server.ts";
import { isSessionId, userIdOf } from "#app/support/protocol/session-id.ts";
import type { ConsoleContext } from "./support-console.tsx";

const ORDERS_SHOWN = 5;

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.session.user_name ?? "Conversation"} · Console · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  // From the room itself, because D1 lags behind it.
  const id = requireTextId(params.id);
  const known = isSessionId(id) ? await context.env.SUPPORT_ROOM.getByName(id).summary() : null;
  if (!known) throw new Response(null, { status: 404 });
  const userId = userIdOf(id);
  const [customer, earlier] = await Promise.all([
    userId === null ? null : readAccountAndOrders(context.db, userId, ORDERS_SHOWN),
    readEarlier(context.supportDb, id, known.session.user_email),
  ]);
  const { account, orders } = customer ?? { account: null, orders: [] };
  const contact = account && { email: account.email, isConfirmed: account.emailConfirmedAt !== null };
  return { ...known, contact, account, orders, earlier };
}

export default function ConversationPage() {
  const { session, lastSeq, contact, account, orders, earlier } = useLoaderData<typeof loader>();
  const { me, replies, staff, nextAfter, knownTags, commands } = useOutletContext<ConsoleContext>();
  return (
    <OpenConversation
      // Another conversation has its own drafts, scroll position and socket.
      key={session.session_id}
      loaded={session}
      lastSeq={lastSeq}
      contact={contact}
      account={account && <AccountDetails account={account} orders={orders} />}
      earlier={earlier}
      me={me}
      replies={replies}
      staff={staff}
      nextAfter={nextAfter}
      knownTags={knownTags}
      commands={commands}
    />
  );
}
