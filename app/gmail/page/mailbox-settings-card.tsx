import { Form } from "@remix-run/react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { useIsSubmitting } from "#app/components/forms/use-is-submitting.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { Mailbox } from "#app/gmail/mailbox/mailbox-data.ts";

/** Settings of a connected mailbox: automatic sync and disconnecting. */
export function SettingsCard({ mailbox, error }: { mailbox: Mailbox; error: string | null }) {
  const isDisconnecting = useIsSubmitting("disconnect");
  const { autoSync, emailAddress } = mailbox;
  return (
    <Card title="Connection" titleId="connection">
      <div className="flex flex-col gap-5 text-sm">
        {error && <Notice tone="bad">{error}</Notice>}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <div className="max-w-prose">
            <p className="flex items-center gap-2 font-medium">
              Automatic sync <Badge tone={autoSync ? "good" : "neutral"}>{autoSync ? "On" : "Off"}</Badge>
            </p>
            <p className="mt-1 text-muted">Checks for changes about every 15 minutes, even while you're away.</p>
          </div>
          <ActionForm intent="auto-sync" result={null} hidden={{ on: autoSync ? "0" : "1" }}>
            <SubmitButton variant="secondary">
              {autoSync ? "Turn off automatic sync" : "Turn on automatic sync"}
            </SubmitButton>
          </ActionForm>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line pt-5">
          <div className="max-w-prose">
            <p className="font-medium">Disconnect</p>
            <p className="mt-1 text-muted">Revokes our access to your Google account and deletes what we read.</p>
          </div>
          <ConfirmButton
            sender={{ Form }}
            fields={{ intent: "disconnect" }}
            button="Disconnect Gmail"
            variant="danger"
            busy={isDisconnecting}
            question="Disconnect Gmail?"
            description={`${emailAddress ?? "The mailbox"} will be disconnected, and we'll delete the messages we read from it. Nothing changes in Gmail.`}
            confirm="Disconnect"
          />
        </div>
      </div>
    </Card>
  );
}
