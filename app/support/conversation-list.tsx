import { NavLink } from "@remix-run/react";
import Inbox from "lucide-react/icons/inbox";
import { Badge } from "#app/components/badge.tsx";
import { RelativeDate } from "#app/components/date.tsx";
import { EmptyState } from "#app/components/empty-state.tsx";
import type { Conversation } from "./conversations.server.ts";

export function ConversationList({ conversations }: { conversations: Conversation[] }) {
  if (conversations.length === 0) {
    return (
      <EmptyState icon={Inbox} title="No conversations yet">
        When a visitor starts a chat, it appears here by itself.
      </EmptyState>
    );
  }
  return (
    <ul className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
      {conversations.map((conversation) => (
        <li key={conversation.sessionId}>
          <NavLink
            to={`/admin/support/${conversation.sessionId}`}
            preventScrollReset
            className="flex flex-col gap-0.5 px-4 py-2.5 text-sm -outline-offset-2 transition-colors hover:bg-sunken aria-[current=page]:bg-sunken"
          >
            <span className="flex items-center gap-2">
              {conversation.unread && (
                <span className="size-2 shrink-0 rounded-full bg-accent">
                  <span className="sr-only">Unread</span>
                </span>
              )}
              <span className={`truncate ${conversation.unread ? "font-semibold" : "font-medium"}`}>
                {conversation.userName}
              </span>
              <span className="ml-auto shrink-0 text-xs text-muted">
                <RelativeDate at={conversation.updatedAt} />
              </span>
            </span>
            <span className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate text-muted" title={conversation.lastMessage}>
                {conversation.lastMessage}
              </span>
              {conversation.status === "closed" && <Badge>Closed</Badge>}
            </span>
          </NavLink>
        </li>
      ))}
    </ul>
  );
}
