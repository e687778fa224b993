import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import type { ComponentState, Watched } from "#app/db/schema.server.ts";
import { badDaysText, percentText, StatusBars } from "./status-bars.tsx";
import type { WatchedPart } from "./watched-list.server.ts";

const NAMES: Record<Watched, string> = {
  api: "API",
  ordering: "Ordering",
  chat: "Support chat",
  providers: "Delivery by providers",
  database: "Database DB",
  support_database: "Database DB_SUPPORT",
  files: "Files in R2",
  dispatchers: "Dispatchers",
  mail: "Email",
};
const STATES: Record<ComponentState, { tone: Tone; label: string }> = {
  operational: { tone: "good", label: "Operational" },
  degraded: { tone: "warn", label: "Degraded" },
  down: { tone: "bad", label: "Down" },
};

/** The components of the status page and the checks of /readyz, each since when, with its last days drawn. */
export function WatchedParts({ parts }: { parts: WatchedPart[] }) {
  return (
    <ul className="grid gap-x-8 gap-y-5 sm:grid-cols-2 lg:grid-cols-3">
      {parts.map(({ part, state, since, letters, share }) => {
        const { tone, label } = STATES[state];
        const uptime = share === null ? "no uptime yet" : `${percentText(share)} uptime`;
        return (
          <li key={part} className="min-w-0">
            <p className="flex min-h-6 items-center justify-between gap-4 text-sm">
              <span className="font-medium">{NAMES[part]}</span>
              <Badge tone={tone}>{label}</Badge>
            </p>
            <p className="text-sm text-muted">
              since <RelativeDate at={since} />
            </p>
            <div className="mt-2">
              <StatusBars
                days={letters}
                text={`${NAMES[part]}, last ${letters.length} days: ${uptime}, ${badDaysText(letters)} with problems`}
              />
            </div>
            <p aria-hidden className="tabular mt-1.5 flex justify-between text-xs text-muted">
              <span>{letters.length} days ago</span>
              <span>{uptime}</span>
              <span>Today</span>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
