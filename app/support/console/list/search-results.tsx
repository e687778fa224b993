import { Link } from "@remix-run/react";
import SearchX from "lucide-react/icons/search-x";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import type { Found } from "#app/support/inbox/message-search.server.ts";
import { splitExcerpt } from "#app/support/inbox/search-excerpt.ts";
import { messageHash } from "#app/support/protocol/link-hash.ts";

/** Search results, shown in place of the list. */
export function SearchResults({ found, search, more }: { found: Found; search: string; more: string | null }) {
  if (found.hits.length === 0 && found.people.length === 0) {
    return (
      <EmptyState icon={SearchX} title="No matches">
        A message must contain every word. The last word can be incomplete.
      </EmptyState>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      {found.people.length > 0 && (
        <section aria-labelledby="people">
          <h3 id="people" className="px-4 pt-3 pb-1 text-xs text-muted">
            People
          </h3>
          <ul>
            {found.people.map(({ sessionId, userName, userEmail }) => (
              <li key={sessionId}>
                <Link to={{ pathname: `/admin/support/${sessionId}`, search }} className={ROW}>
                  <span className="truncate font-medium">{userName}</span>
                  {userEmail && <span className="truncate text-muted">{userEmail}</span>}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {found.hits.length > 0 && (
        <section aria-labelledby="hits">
          <h3 id="hits" className="px-4 pt-3 pb-1 text-xs text-muted">
            Messages
          </h3>
          <ul>
            {found.hits.map((hit) => (
              <li key={hit.id}>
                <Link
                  to={{ pathname: `/admin/support/${hit.sessionId}`, search, hash: messageHash(hit.seq) }}
                  className={ROW}
                >
                  <span className="flex items-center gap-2">
                    <span className="truncate font-medium">{hit.userName}</span>
                    <span className="ml-auto shrink-0 text-xs text-muted">
                      <RelativeDate at={hit.createdAt} />
                    </span>
                  </span>
                  <span className="line-clamp-2 break-words text-muted">
                    {hit.senderType === "user" ? "" : `${hit.senderName}: `}
                    <Excerpt text={hit.excerpt} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {more !== null && (
        <Link to={more} className="flex h-12 items-center px-4 text-sm underline underline-offset-4">
          Show older messages
        </Link>
      )}
    </div>
  );
}

const ROW =
  "flex flex-col gap-0.5 border-b border-line px-4 py-2.5 text-sm -outline-offset-2 transition-colors hover:bg-sunken";

function Excerpt({ text }: { text: string }) {
  return splitExcerpt(text).map((piece, at) =>
    piece.isHit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text
      <mark key={at} className="bg-transparent font-semibold text-text">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}
