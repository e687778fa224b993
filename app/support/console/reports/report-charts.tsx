import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Chart } from "#app/components/ui/chart.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { Report, ReportDay } from "#app/support/inbox/reports.server.ts";
import { durationText, durationTicks } from "#app/support/inbox/response-time.ts";

/** The totals of a report in four figures. */
export function ReportFigures({ all }: { all: Report["all"] }) {
  const { number } = useFormats();
  return (
    <dl className="mt-6 grid grid-cols-2 gap-px overflow-clip rounded-md border border-line bg-line lg:grid-cols-4">
      <Figure name="Conversations" value={number(all.cases)} />
      <Figure name="First response" value={duration(all.firstResponseMs)} />
      <Figure name="Resolution" value={duration(all.resolutionMs)} />
      <Figure name="Rated good" value={ratingText(all)} />
    </dl>
  );
}

/** The charts of a report. A chart without values says so in words, because bare axes look like a failure. */
export function ReportCharts({ days, all }: { days: ReportDay[]; all: Report["all"] }) {
  const { number } = useFormats();
  return (
    <div className="mt-6 grid gap-6 lg:grid-cols-2">
      <Card title="Conversations per day" titleId="conversations-per-day" className="lg:col-span-2">
        <Chart
          title="Conversations"
          kind="bars"
          points={days.map(({ day, cases }) => ({ day, value: cases }))}
          format={number}
        />
      </Card>
      <Card title="First response" titleId="first-response">
        {all.firstResponseMs === null ? (
          <Nothing>No replies in this period.</Nothing>
        ) : (
          <Chart
            title="Median"
            kind="line"
            points={days.map(({ day, firstResponseMs }) => ({ day, value: firstResponseMs }))}
            format={durationText}
            ticksUpTo={durationTicks}
          />
        )}
      </Card>
      <Card title="Resolution" titleId="resolution">
        {all.resolutionMs === null ? (
          <Nothing>No conversations were closed in this period.</Nothing>
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
          <Nothing>No ratings in this period. Visitors can rate a conversation once it's closed.</Nothing>
        ) : (
          <div className="grid gap-6 lg:grid-cols-2">
            <Chart
              title="Good"
              kind="bars"
              points={days.map(({ day, good }) => ({ day, value: good }))}
              format={number}
            />
            <Chart title="Bad" kind="bars" points={days.map(({ day, bad }) => ({ day, value: bad }))} format={number} />
          </div>
        )}
      </Card>
    </div>
  );
}

/** First responses by agent. */
export function AgentTable({ agents }: { agents: Report["agents"] }) {
  const { number } = useFormats();
  return (
    <Card title="By agent" titleId="by-agent" flush className="mt-6">
      {agents.length === 0 ? (
        <EmptyState icon={ChartNoAxesColumn} title="No replies in this period">
          Agents appear here once they reply.
        </EmptyState>
      ) : (
        <div className="data-table">
          <Table
            label="By agent"
            head={
              <>
                <Th>Agent</Th>
                <Th numeric>Conversations</Th>
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
                <Td numeric data-label="Conversations">
                  {number(agent.cases)}
                </Td>
                <Td numeric data-label="First response">
                  {duration(agent.firstResponseMs)}
                </Td>
                <Td numeric data-label="Resolution">
                  {duration(agent.resolutionMs)}
                </Td>
                <Td numeric data-label="Good">
                  {number(agent.good)}
                </Td>
                <Td numeric data-label="Bad">
                  {number(agent.bad)}
                </Td>
              </tr>
            ))}
          </Table>
        </div>
      )}
    </Card>
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
  return good + bad === 0 ? "—" : `${Math.round((100 * good) / (good + bad))}% of ${good + bad}`;
}
