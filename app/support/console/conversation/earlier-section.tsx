import { Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import type { Earlier } from "#app/support/inbox/earlier-conversations.server.ts";

/** What the visitor asked before, and conversations with the same address, which may be somebody else's. */
export function EarlierSection({ earlier: { questions, others }, search }: { earlier: Earlier; search: string }) {
  if (questions.length + others.length === 0) return null;
  return (
    <section aria-labelledby="earlier" className="flex flex-col gap-1.5">
      <h2 id="earlier" className="text-sm">
        Earlier conversations
      </h2>
      {questions.length > 0 && (
        <ul className="divide-y divide-line">
          {questions.map(({ no, startedAt, agentName, rating }) => (
            <li key={no} className="flex justify-between gap-2 py-1.5">
              <span>
                Asked <RelativeDate at={startedAt} />
              </span>
              <span className="min-w-0 truncate text-xs leading-5 text-muted">
                {agentName ?? "No reply"}
                {rating && ` · rated ${rating}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <>
          <p className="text-xs text-warn">
            Same email, which is not confirmed. It may be another person: share nothing from there.
          </p>
          <ul className="divide-y divide-line">
            {others.map(({ sessionId, userName, status, updatedAt, isAccount }) => (
              <li key={sessionId} className="flex justify-between gap-2 py-3 sm:py-1.5">
                <Link
                  to={{ pathname: `/admin/support/${sessionId}`, search }}
                  title={userName}
                  className="min-w-0 truncate underline underline-offset-4"
                >
                  {userName}
                </Link>
                <span className="shrink-0 text-xs leading-5 text-muted">
                  {isAccount ? "account" : "visitor"} · {status} · <RelativeDate at={updatedAt} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
