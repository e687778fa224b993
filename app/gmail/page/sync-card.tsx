import { Form } from "@remix-run/react";
import Inbox from "lucide-react/icons/inbox";
import type { FormEvent, ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DateWithAge } from "#app/components/formats/relative-date.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { GmailData } from "#app/gmail/mailbox/mailbox-data.ts";

/** Totals and the newest messages. */
export function SyncCard({ data, loading, onLoad }: { data: GmailData | null; loading: boolean; onLoad: () => void }) {
  return (
    <Card
      title="Sync Status"
      titleId="sync-status"
      aside={
        data && (
          <LoadForm onLoad={onLoad}>
            <Button type="submit" variant="secondary" busy={loading}>
              Refresh Data
            </Button>
          </LoadForm>
        )
      }
    >
      {loading && (
        <p role="status" className={data ? "sr-only" : "mb-4 text-sm text-muted"}>
          Loading sync data...
        </p>
      )}
      {data ? <Loaded data={data} /> : loading ? <Shapes /> : <Nothing onLoad={onLoad} />}
    </Card>
  );
}

function Loaded({ data }: { data: GmailData }) {
  const { number } = useFormats();
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid gap-px overflow-clip rounded-md border border-line bg-line sm:grid-cols-[1fr_1fr_auto]">
        <Tile label="Total Messages">{number(data.totalMessages)}</Tile>
        <Tile label="Recent Messages">{number(data.recent.length)}</Tile>
        <Tile label="Last Sync">{data.lastSyncAt === null ? "Never" : <DateWithAge at={data.lastSyncAt} />}</Tile>
      </dl>
      {data.recent.length > 0 && <RecentMessages messages={data.recent} synced={data.synced} />}
    </div>
  );
}

function Tile({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="bg-raised p-4">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="tabular mt-1 text-lg font-medium">{children}</dd>
    </div>
  );
}

function RecentMessages({ messages, synced }: { messages: GmailData["recent"]; synced: number }) {
  const { number } = useFormats();
  return (
    <section aria-labelledby="recent-messages">
      <div className="flex items-baseline justify-between gap-4">
        <h3 id="recent-messages" className="text-sm">
          Recent messages
        </h3>
        <p className="tabular text-xs text-muted">
          Showing {number(messages.length)} of {number(synced)} synced {synced === 1 ? "message" : "messages"}
        </p>
      </div>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        aria-labelledby="recent-messages"
        className="mt-2 max-h-110 divide-y divide-line overflow-y-auto rounded-md border border-line focus-visible:-outline-offset-2"
      >
        {messages.map((message) => (
          <li key={message.id} className="px-4 py-3 text-sm">
            <p className="flex items-baseline justify-between gap-4">
              <span className="min-w-0 truncate font-medium" title={message.fromEmail}>
                {message.fromName || message.fromEmail}
              </span>
              <span className="shrink-0 text-xs text-muted">
                <DateWithAge at={message.internalDate} />
              </span>
            </p>
            <p className="truncate" title={message.subject}>
              {message.subject || "(No Subject)"}
            </p>
            <p className="truncate text-muted" title={message.snippet}>
              {message.snippet}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Nothing({ onLoad }: { onLoad: () => void }) {
  return (
    <div className="flex flex-col items-start gap-3 text-sm">
      <Inbox aria-hidden className="size-5 text-muted" />
      <div>
        <p className="font-medium">No sync data available</p>
        <p className="mt-1 text-muted">The initial sync reads your 100 newest messages.</p>
      </div>
      <LoadForm onLoad={onLoad}>
        <Button type="submit" variant="secondary">
          Load Data
        </Button>
      </LoadForm>
    </div>
  );
}

/** A form, so that loading works without JavaScript. */
function LoadForm({ onLoad, children }: { onLoad: () => void; children: ReactNode }) {
  function load(event: FormEvent) {
    event.preventDefault();
    onLoad();
  }
  return (
    <Form method="get" action="/gmail-sync" onSubmit={load}>
      {children}
    </Form>
  );
}

function Shapes() {
  return (
    <div className="flex flex-col gap-6">
      <div className="grid gap-3 sm:grid-cols-3">
        {["total", "recent", "last"].map((tile) => (
          <Skeleton key={tile} className="h-20" />
        ))}
      </div>
      <Skeleton className="h-60" />
    </div>
  );
}
