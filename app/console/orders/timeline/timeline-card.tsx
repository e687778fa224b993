import { ExactDate } from "#app/components/formats/exact-date.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { cutText } from "#app/cut-text.ts";
import type { TimelineEntry } from "./order-timeline.ts";

const WORDS_SHOWN = 2000;

/** Everything that happened to an order, the newest first. */
export function TimelineCard({ timeline }: { timeline: TimelineEntry[] }) {
  return (
    <Card title="Timeline" titleId="timeline" flush className="mt-6">
      <ol className="divide-y divide-line">
        {timeline.map((entry, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and keep their place from the oldest on
            key={timeline.length - index}
            className="grid gap-x-4 gap-y-1 px-4 py-3 text-sm sm:grid-cols-[11rem_minmax(0,1fr)] sm:px-5"
          >
            <p className="flex flex-wrap items-baseline gap-x-2 text-muted sm:flex-col">
              <RelativeDate at={entry.at} />
              <span className="text-xs">
                <ExactDate at={entry.at} />
              </span>
            </p>
            <div className="min-w-0">
              <p className={entry.isTrouble ? "text-warn" : ""}>
                {entry.what}
                {entry.micro !== undefined && (
                  <>
                    {" "}
                    <Money micro={entry.micro} />
                  </>
                )}
                {entry.who !== undefined && <span className="text-muted"> by {entry.who}</span>}
              </p>
              {entry.note !== undefined && <p className="break-words text-muted">“{entry.note}”</p>}
              {entry.words !== undefined && (
                <code className="mt-1 block max-h-40 overflow-y-auto rounded-md bg-sunken p-2 font-mono text-xs break-all whitespace-pre-wrap">
                  {cutText(entry.words, WORDS_SHOWN)}
                </code>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
