import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import type { ReactNode } from "react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Chart } from "#app/components/ui/chart.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import { type Report, readReport } from "#app/support/inbox/reports.server.ts";
import { durationText, durationTicks } from "#app/support/inbox/response-time.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";

const SPANS = [7, 30, 90];

export const meta: MetaFunction = () => [{ title: `Reports · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const asked = Number(new URL(request.url).searchParams.get("days"));
  const span = SPANS.find((days) => days === asked) ?? 30;
  const { timeZone } = await readSettings(context.db);
  return { span, timeZone, report: await readReport(context.supportDb, span, Date.now(), timeZone) };
}

export default function Reports() {
  const { number } = useFormats();
  const { span, timeZone, report } = useLoaderData<typeof loader>();
  const { all } = report;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl">Reports</h1>
        <nav aria-label="Time span">
          <ul className="flex gap-1">
            {SPANS.map((one) => (
              <li key={one}>
                <Link
                  to={`?days=${one}`}
                  aria-current={one === span ? "page" : undefined}
                  className="inline-flex h-11 items-center rounded-md px-3 text-sm text-muted transition-colors hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:text-text sm:h-9"
                >
                  {one} days
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <p className="mt-2 max-w-prose text-sm text-muted">
        A conversation counts on the day ({timeZone}) of its question, and again when it is asked anew after it was
        closed. Times are medians: half were quicker.
      </p>
      <dl className="mt-6 grid grid-cols-2 gap-px overflow-clip rounded-md border border-line bg-line lg:grid-cols-4">
        <Figure name="Conversations" value={number(all.cases)} />
        <Figure name="First response" value={duration(all.firstAnswerMs)} />
        <Figure name="Resolution" value={duration(all.resolutionMs)} />
        <Figure name="Rated good" value={ratingText(all)} />
      </dl>
      {all.cases === 0 ? (
        <div className="mt-6 rounded-md border border-line bg-raised">
          <EmptyState icon={ChartNoAxesColumn} title={`No conversations in these ${span} days`}>
            A conversation is counted with its visitor’s first message. A longer time span may have some.
          </EmptyState>
        </div>
      ) : (
        <Charts report={report} />
      )}
    </>
  );
}

/** A chart without a single value is said in words: its axes alone would look like one that failed. */
function Charts({ report: { days, agents, all } }: { report: Report }) {
  const { number } = useFormats();
  return (
    <>
      <div className="mt-6 grid gap-6 lg:grid-cols-2">
        <Card title="Conversations a day" titleId="conversations-a-day" className="lg:col-span-2">
          <Chart
            title="Conversations"
            kind="bars"
            points={days.map(({ day, cases }) => ({ day, value: cases }))}
            format={number}
          />
        </Card>
        <Card title="First response" titleId="first-response">
          {all.firstAnswerMs === null ? (
            <Nothing>Nobody has answered in this time.</Nothing>
          ) : (
            <Chart
              title="Median"
              kind="line"
              points={days.map(({ day, firstAnswerMs }) => ({ day, value: firstAnswerMs }))}
              format={durationText}
              ticksUpTo={durationTicks}
            />
          )}
        </Card>
        <Card title="Resolution" titleId="resolution">
          {all.resolutionMs === null ? (
            <Nothing>No conversation was closed in this time.</Nothing>
          ) : (
            <Chart
              title="Median"
              kind="line"
              points={days.map(({ day, resolutionMs }) => ({ day, value: resolutionMs }))}
              format={durationText}
              ticksUpTo={durationTicks}
            />
          )}
        </Card>
        <Card title="Ratings" titleId="ratings" className="lg:col-span-2">
          {all.good + all.bad === 0 ? (
            <Nothing>No visitor has rated in this time. They are asked when a conversation is closed.</Nothing>
          ) : (
            <div className="grid gap-6 lg:grid-cols-2">
              <Chart
                title="Good ones"
                kind="bars"
                points={days.map(({ day, good }) => ({ day, value: good }))}
                format={number}
              />
              <Chart
                title="Bad ones"
                kind="bars"
                points={days.map(({ day, bad }) => ({ day, value: bad }))}
                format={number}
              />
            </div>
          )}
        </Card>
      </div>
      <Card title="By agent" titleId="by-agent" flush className="mt-6">
        {agents.length === 0 ? (
          <EmptyState icon={ChartNoAxesColumn} title="Nobody has answered in this time">
            An agent appears here with the first answer.
          </EmptyState>
        ) : (
          <Table
            label="By agent"
            head={
              <>
                <Th>Agent</Th>
                <Th numeric>Answered first</Th>
                <Th numeric>First response</Th>
                <Th numeric>Resolution</Th>
                <Th numeric>Good</Th>
                <Th numeric>Bad</Th>
              </>
            }
          >
            {agents.map((agent) => (
              <tr key={agent.agentId}>
                <Td>{agent.agentName}</Td>
                <Td numeric>{number(agent.cases)}</Td>
                <Td numeric>{duration(agent.firstAnswerMs)}</Td>
                <Td numeric>{duration(agent.resolutionMs)}</Td>
                <Td numeric>{number(agent.good)}</Td>
                <Td numeric>{number(agent.bad)}</Td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </>
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-sm text-muted">{children}</p>;
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="bg-raised px-4 py-3 sm:px-5">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="tabular mt-1 text-xl font-semibold">{value}</dd>
    </div>
  );
}

function duration(ms: number | null): string {
  return ms === null ? "—" : durationText(ms);
}

function ratingText({ good, bad }: { good: number; bad: number }): string {
  return good + bad === 0 ? "—" : `${Math.round((100 * good) / (good + bad))} % of ${good + bad}`;
}
