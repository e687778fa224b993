import { Link } from "@remix-run/react";
import AtSign from "lucide-react/icons/at-sign";
import { useEffect, useRef, useState } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { ListedMention } from "#app/support/inbox/inbox-view.ts";
import { Sheet, type SheetProps } from "./console-sheet.tsx";

/** The agent's last mentions in team notes, each a link to its conversation. */
export function MentionsSheet(props: SheetProps & { search: string }) {
  return (
    <Sheet
      {...props}
      title="Mentions"
      description="Team notes that mention you. Opening the conversation marks them as read."
    >
      {props.open && <Mentions search={props.search} onOpen={() => props.onOpenChange(false)} />}
    </Sheet>
  );
}

function Mentions({ search, onOpen }: { search: string; onOpen: () => void }) {
  const [mentions, setMentions] = useState<ListedMention[] | "loading" | "failed">("loading");
  useEffect(() => {
    if (mentions !== "loading") return;
    let isCurrent = true;
    void readMentions().then((read) => isCurrent && setMentions(read ?? "failed"));
    return () => {
      isCurrent = false;
    };
  }, [mentions]);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (typeof mentions !== "string") list.current?.querySelector("a")?.focus();
  }, [mentions]);
  if (mentions === "failed") {
    return (
      <div role="alert" className="flex items-center justify-between gap-3 text-sm">
        Couldn't load your mentions.
        <Button variant="secondary" onClick={() => setMentions("loading")}>
          Try again
        </Button>
      </div>
    );
  }
  if (mentions === "loading") {
    return (
      <div role="status" aria-label="Loading" className="flex flex-col gap-2">
        <Skeleton className="h-16 w-full" />
        <Skeleton className="h-16 w-full" />
      </div>
    );
  }
  if (mentions.length === 0) {
    return (
      <EmptyState icon={AtSign} title="No mentions yet">
        Type “@” in a team note to bring in a teammate.
      </EmptyState>
    );
  }
  return (
    <ul ref={list} className="-mx-2 max-h-[60dvh] divide-y divide-line overflow-y-auto overscroll-contain">
      {mentions.map(({ sessionId, noteNo, authorName, userName, createdAt, excerpt, unread }) => (
        <li key={`${sessionId} ${noteNo}`}>
          <Link
            to={{ pathname: `/admin/support/${sessionId}`, search }}
            onClick={onOpen}
            className="flex flex-col gap-0.5 rounded-md px-2 py-2.5 text-sm -outline-offset-2 hover:bg-sunken"
          >
            <span className="flex items-center gap-2">
              {unread && (
                <span className="size-2 shrink-0 rounded-full bg-accent">
                  <span className="sr-only">Unread</span>
                </span>
              )}
              <span className={`truncate ${unread ? "font-semibold" : "font-medium"}`}>
                {authorName} about {userName}
              </span>
              <span className="ml-auto shrink-0 text-xs text-muted">
                <RelativeDate at={createdAt} />
              </span>
            </span>
            <span className="line-clamp-2 text-muted [overflow-wrap:anywhere]">{excerpt}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

async function readMentions(): Promise<ListedMention[] | null> {
  try {
    const response = await fetch("/admin/mentions");
    return response.ok && !response.redirected ? ((await response.json()) as ListedMention[]) : null;
  } catch {
    return null;
  }
}
