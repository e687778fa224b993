import { Form } from "@remix-run/react";
import CircleCheck from "lucide-react/icons/circle-check";
import CircleX from "lucide-react/icons/circle-x";
import type { FormEvent } from "react";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { type ConnectFault, connectFaultText } from "#app/gmail/connect/oauth-texts.ts";
import type { Mailbox } from "#app/gmail/mailbox/mailbox-data.ts";
import { SyncProgress } from "./sync-progress.tsx";

/** Shows whether Gmail is connected, with the buttons to connect and sync. */
export function ConnectionCard({
  mailbox,
  connecting,
  fault,
  onConnect,
  syncing,
  onSync,
  standIn,
}: {
  mailbox: Mailbox;
  connecting: boolean;
  fault: ConnectFault | null;
  onConnect: () => void;
  syncing: boolean;
  onSync: () => void;
  standIn: boolean;
}) {
  const { connected } = mailbox;
  const label = connecting ? "Connecting..." : connected ? "Reconnect Gmail Account" : "Connect Gmail Account";
  function startSync(event: FormEvent) {
    event.preventDefault();
    if (!syncing) onSync();
  }
  return (
    <Card title="Gmail API Sync" titleId="gmail-api-sync">
      <div className="flex flex-col gap-4">
        <ConnectionPanel mailbox={mailbox} />
        {fault && (
          <Notice tone="bad">
            {connectFaultText(fault)}{" "}
            {fault === "blocked" && (
              <a href="/gmail-sync/connect" className="underline underline-offset-4">
                Continue on this page
              </a>
            )}
          </Notice>
        )}
        <div className="flex flex-wrap gap-3">
          {/* On wrappers: a button sets its own display. */}
          <span className="noscript:hidden">
            <Button onClick={onConnect} variant={connected ? "secondary" : "primary"} disabled={connecting}>
              {label}
            </Button>
          </span>
          <span className="hidden noscript:block">
            <ButtonLink to="/gmail-sync/connect" reloadDocument variant={connected ? "secondary" : "primary"}>
              {label}
            </ButtonLink>
          </span>
          <Form method="post" onSubmit={startSync}>
            <input type="hidden" name="intent" value="sync" />
            <Button
              type="submit"
              variant={connected ? "primary" : "secondary"}
              disabled={!connected}
              busy={connected && syncing}
            >
              Start Initial Sync
            </Button>
          </Form>
        </div>
        {connected && <SyncProgress mailbox={mailbox} syncing={syncing} />}
        <p className="max-w-prose text-sm text-muted">
          We only ask Google for read access, and we keep the sender, subject, date and first words of your newest
          messages. Disconnecting deletes them.
        </p>
        {standIn && (
          <p className="max-w-prose text-sm text-muted">
            This copy runs on your machine: an emulator with 250 made-up messages stands in for Google.
          </p>
        )}
      </div>
    </Card>
  );
}

function ConnectionPanel({ mailbox }: { mailbox: Mailbox }) {
  const { connected, reconnectNeeded, emailAddress } = mailbox;
  const Icon = connected ? CircleCheck : CircleX;
  return (
    <div
      role="status"
      className={`flex items-start gap-3 rounded-md px-4 py-3 text-sm ${connected ? "bg-good-wash" : "bg-bad-wash"}`}
    >
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${connected ? "text-good" : "text-bad"}`} />
      <div className="min-w-0">
        <p className={`font-medium ${connected ? "text-good" : "text-bad"}`}>
          {connected ? "Connected" : "Disconnected"}
        </p>
        <p>{connected ? "Gmail account is connected" : "No Gmail account connected"}</p>
        {connected && emailAddress && <p className="break-all text-muted">{emailAddress}</p>}
        {reconnectNeeded && (
          <p className="mt-1">
            Google ended the connection to <span className="font-medium break-all">{emailAddress}</span>. Connect it
            again to resume syncing.
          </p>
        )}
      </div>
    </div>
  );
}
