import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Chart } from "#app/components/ui/chart.tsx";
import type { GmailData } from "#app/gmail/mailbox/mailbox-data.ts";

/** Charts of messages per day and top senders. */
export function StatisticsCard({ data }: { data: GmailData }) {
  const { number } = useFormats();
  const most = Math.max(1, ...data.topSenders.map((sender) => sender.messages));
  return (
    <Card title="At a glance" titleId="at-a-glance">
      <div className="grid gap-8 sm:grid-cols-2">
        <Chart title="Messages per day" kind="bars" points={data.perDay} format={number} />
        <section aria-labelledby="top-senders" className="min-w-0">
          <h3 id="top-senders" className="text-sm font-normal text-muted">
            Top senders
          </h3>
          <ol className="mt-2 flex flex-col gap-3 text-sm">
            {data.topSenders.map(({ email, name, messages }) => (
              <li key={email}>
                <p className="flex items-baseline justify-between gap-4">
                  <span className="min-w-0 truncate" title={email}>
                    {name || email}
                  </span>
                  <span className="tabular">
                    {number(messages)}
                    <span className="sr-only"> messages</span>
                  </span>
                </p>
                <svg
                  aria-hidden="true"
                  viewBox="0 0 100 2"
                  preserveAspectRatio="none"
                  className="mt-1 h-1 w-full rounded-full"
                >
                  <rect height="2" width={(100 * messages) / most} className="fill-accent" />
                </svg>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </Card>
  );
}
