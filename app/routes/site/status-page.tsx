import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { describePage } from "#app/components/page/page-meta.ts";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import { CHECK_LIMIT_MS } from "#app/monitoring/health/health-checks.ts";
import { durationText, type Incident, incidentsOf } from "#app/monitoring/health/incidents.ts";
import { badDaysText, lettersOf, percentText, StatusBars } from "#app/monitoring/health/status-bars.tsx";
import { STATUS_DAYS, uptimeOf } from "#app/monitoring/health/uptime-days.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const PATH = "/status";
const SHOWN_INCIDENTS = 20;

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Status · ${PRODUCT_NAME}`,
    description: `Whether the API, ordering, support chat and delivery of ${PRODUCT_NAME} work, now and in the last ${STATUS_DAYS} days.`,
    path: PATH,
  });

export async function loader({ context }: LoaderFunctionArgs) {
  const [states, changes] = await Promise.all([context.componentStates(), readHistory(context)]);
  const at = Date.now();
  const parts = (["api", "ordering", "chat", "providers"] as const).map((component) => {
    const { days, share } = uptimeOf(changes ?? [], component, at, STATUS_DAYS);
    return { component, state: states[component], letters: lettersOf(days), share };
  });
  return { parts, incidents: changes && incidentsOf(changes, SHOWN_INCIDENTS), at };
}

/** Returns null if the database doesn't answer: the page says so, and what works all the same. */
async function readHistory(context: LoaderFunctionArgs["context"]) {
  try {
    return await within(CHECK_LIMIT_MS, context.componentChanges());
  } catch (error) {
    logError("history of the status page not read", error, { request_id: context.requestId });
    return null;
  }
}

type Loaded = Awaited<ReturnType<typeof loader>>;
type Part = Loaded["parts"][number];
type State = Part["state"];

const NAMES: Record<Part["component"], [name: string, what: string]> = {
  api: ["API", "Orders, statuses and balances for your programs"],
  ordering: ["Ordering", "The dashboard and new orders"],
  chat: ["Support chat", "Messages to and from our team"],
  providers: ["Delivery", "The providers that fulfill orders"],
};
const STATES: Record<State, { tone: Tone; label: string }> = {
  operational: { tone: "good", label: "Operational" },
  degraded: { tone: "warn", label: "Degraded" },
  down: { tone: "bad", label: "Down" },
};

export default function Status() {
  const { parts, incidents, at } = useLoaderData<typeof loader>();
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-10 outline-none sm:px-6 sm:py-14">
      <h1 className="text-3xl">Status</h1>
      <p className="mt-3 max-w-prose text-muted">
        {summaryOf(parts)} Checked every minute; as of <UtcTime at={at} />.
      </p>
      <ul className="mt-8 overflow-clip rounded-md border border-line bg-raised">
        {parts.map((part) => (
          <PartItem key={part.component} part={part} hasHistory={incidents !== null} />
        ))}
      </ul>
      <h2 className="mt-10 text-xl">Incidents</h2>
      <Incidents incidents={incidents} at={at} />
    </main>
  );
}

function summaryOf(parts: Part[]): string {
  const down = parts.filter(({ state }) => state === "down");
  if (down.length === parts.length) return "Everything is down. We are working on it.";
  if (down.length > 0) return `Down: ${namesOf(down)}. We are working on it.`;
  const degraded = parts.filter(({ state }) => state === "degraded");
  if (degraded.length > 0) return `Slow or failing in part: ${namesOf(degraded)}. We are working on it.`;
  return "Everything is operational.";
}

function namesOf(parts: Part[]): string {
  return parts.map(({ component }) => NAMES[component][0]).join(", ");
}

function PartItem({ part: { component, state, letters, share }, hasHistory }: { part: Part; hasHistory: boolean }) {
  const [name, what] = NAMES[component];
  const { tone, label } = STATES[state];
  const uptime = share === null ? "No checks yet" : `${percentText(share)} uptime`;
  const text = `${name}, last ${STATUS_DAYS} days: ${uptime}, ${badDaysText(letters)} with problems`;
  return (
    <li className="border-b border-line px-4 py-4 last:border-b-0 sm:px-5">
      <div className="flex items-start justify-between gap-x-4">
        <div className="min-w-0">
          <h2 className="text-base">{name}</h2>
          <p className="text-sm text-muted">{what}</p>
        </div>
        <Badge tone={tone}>{label}</Badge>
      </div>
      {hasHistory && (
        <div className="mt-3">
          <StatusBars days={letters} text={text} />
          <p aria-hidden className="tabular mt-1.5 flex justify-between text-xs text-muted">
            <span>{STATUS_DAYS} days ago</span>
            <span>{uptime}</span>
            <span>Today</span>
          </p>
        </div>
      )}
    </li>
  );
}

function Incidents({ incidents, at }: { incidents: Loaded["incidents"]; at: number }) {
  if (incidents === null) {
    return <p className="mt-3 text-sm text-muted">The history can't be read right now. Reload the page in a minute.</p>;
  }
  if (incidents.length === 0) return <p className="mt-3 text-sm text-muted">None in the last {STATUS_DAYS} days.</p>;
  return (
    <ol className="mt-3 overflow-clip rounded-md border border-line bg-raised">
      {incidents.map((incident) => (
        <IncidentItem key={`${incident.component} ${incident.startedAt}`} incident={incident} at={at} />
      ))}
    </ol>
  );
}

function IncidentItem({ incident: { component, state, startedAt, endedAt }, at }: { incident: Incident; at: number }) {
  const { tone, label } = STATES[state];
  const duration = durationText((endedAt ?? at) - startedAt);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3 text-sm last:border-b-0 sm:px-5">
      <Badge tone={tone}>{label}</Badge>
      <span>{NAMES[component][0]}</span>
      <span className="text-muted">{endedAt === null ? `for ${duration}, not over` : duration}</span>
      <span className="ml-auto text-muted">
        <UtcTime at={startedAt} />
      </span>
    </li>
  );
}

/** A time that the browser doesn't make relative: a text that changes on the first screen moves what is beside it. */
function UtcTime({ at }: { at: number }) {
  const text = new Date(at).toISOString();
  return (
    <time dateTime={text} className="whitespace-nowrap">
      {text.slice(0, 16).replace("T", " ")} UTC
    </time>
  );
}
