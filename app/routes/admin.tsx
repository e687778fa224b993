import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Outlet, useLoaderData, useParams } from "@remix-run/react";
import MessagesSquare from "lucide-react/icons/messages-square";
import { requireRole } from "#app/accounts/viewer.server.ts";
import { ConsoleNav } from "#app/components/console-nav.tsx";
import { EmptyState } from "#app/components/empty-state.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import { ConversationList } from "#app/support/conversation-list.tsx";
import { listConversations } from "#app/support/conversations.server.ts";
import { useInbox } from "#app/support/use-inbox.ts";

export const meta: MetaFunction = () => [{ title: `Console · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await requireRole(request, context, "agent", "admin");
  return {
    role: viewer.role,
    agentName: viewer.fullName || "Support",
    conversations: await listConversations(context.db),
  };
}

export type ConsoleContext = { agentName: string };

export default function Console() {
  const { role, agentName, conversations: loaded } = useLoaderData<typeof loader>();
  const { id } = useParams();
  const { conversations, connection } = useInbox(loaded);
  // On a phone an open conversation is all there is, so it has the page's heading.
  const Title = id ? "h2" : "h1";
  return (
    <>
      {/* On a phone an open conversation has all the room. */}
      <div className={id ? "hidden md:block" : ""}>
        <ConsoleNav role={role === "admin" ? "admin" : "agent"} />
      </div>
      <main
        id="main"
        tabIndex={-1}
        className={`grid min-h-120 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] outline-none md:h-[calc(100dvh-106px)] md:grid-cols-[320px_minmax(0,1fr)] ${id ? "h-[calc(100dvh-57px)]" : "h-[calc(100dvh-106px)]"}`}
      >
        <section
          aria-labelledby="conversations"
          className={`min-h-0 flex-col border-line md:flex md:border-r ${id ? "hidden" : "flex"}`}
        >
          <header className="flex h-12 shrink-0 items-center justify-between border-b border-line px-4">
            <Title id="conversations" className="text-sm">
              Conversations
            </Title>
            <span role="status" className="text-xs text-muted">
              {connection === "live" ? "Live" : "Connecting…"}
            </span>
          </header>
          <ConversationList conversations={conversations} />
        </section>
        {id ? (
          <Outlet context={{ agentName } satisfies ConsoleContext} />
        ) : (
          <div className="hidden md:block">
            <EmptyState icon={MessagesSquare} title="No conversation selected">
              Select one on the left to read it and to answer.
            </EmptyState>
          </div>
        )}
      </main>
    </>
  );
}
