import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import type { countEmails } from "#app/email/email-admin.server.ts";

type Counts = Awaited<ReturnType<typeof countEmails>>;

/** The emails of the last day, in numbers. */
export function EmailCounts({ counts: { lastDay, waiting } }: { counts: Counts }) {
  const { number } = useFormats();
  const { sent = 0, failed = 0, expired = 0, suppressed = 0, bounced = 0, complained = 0 } = lastDay;
  const figures: [string, number][] = [
    ["Sent", sent],
    ["Waiting now", waiting],
    ["Refused or expired", failed + expired],
    ["Address suppressed", suppressed],
    ["Bounced or reported", bounced + complained],
  ];
  return (
    <Card title="Last 24 hours" titleId="last-day">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-5">
        {figures.map(([name, count]) => (
          <div key={name} className="flex flex-col">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="tabular mt-1 text-xl font-semibold">{number(count)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
