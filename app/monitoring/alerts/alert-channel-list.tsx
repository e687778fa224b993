import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { readAlerts } from "./shown-alerts.server.ts";

type Channels = Awaited<ReturnType<typeof readAlerts>>["channels"];

/** Who gets the alerts, and what is wrong with these settings. */
export function AlertChannelList({ channels }: { channels: Channels }) {
  const { emails, webhookHost, problems, lastDelivery } = channels;
  return (
    <div className="flex flex-col gap-2 text-sm">
      {problems.map((problem) => (
        <p key={problem} className="flex flex-wrap items-center gap-2">
          <Badge tone="warn">Settings</Badge>
          {problem}
        </p>
      ))}
      {emails.length > 0 && <p className="break-words text-muted">Emailed to {emails.join(", ")}.</p>}
      {webhookHost !== null && (
        <p className="break-words text-muted">
          Posted to {webhookHost}
          {lastDelivery === null ? (
            "."
          ) : lastDelivery.deliveredAt !== null ? (
            <>
              , last <RelativeDate at={lastDelivery.deliveredAt} />.
            </>
          ) : (
            `. The last post has failed ${lastDelivery.attempts} times: ${lastDelivery.lastError ?? "not sent yet"}`
          )}
        </p>
      )}
    </div>
  );
}
