import { useFetcher } from "@remix-run/react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";

/** `qrCode` is an image URL, `secret` the same in base32. */
export type ShownSetup = { secret: string; qrCode: string };
type Props = { hasTotp: boolean; setup: ShownSetup | null; result: FormResult | null };

export function TotpCard({ hasTotp, setup, result }: Props) {
  return (
    <Card
      title="Authenticator app"
      titleId="authenticator-app"
      aside={hasTotp ? <Badge tone="good">On</Badge> : undefined}
    >
      {hasTotp ? <Confirmed /> : setup ? <Setup setup={setup} result={result} /> : <Start />}
    </Card>
  );
}

function Start() {
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="max-w-prose text-sm text-muted">
        An app on your phone shows a new code every 30 seconds. We ask for one after your password.
      </p>
      <ActionForm asksIdentity intent="start-totp" result={null}>
        <SubmitButton variant="secondary">Set up authenticator app</SubmitButton>
      </ActionForm>
    </div>
  );
}

function Setup({ setup, result }: { setup: ShownSetup; result: FormResult | null }) {
  return (
    <div className="flex flex-col gap-5">
      <p className="max-w-prose text-sm text-muted">
        Scan the QR code with your authenticator app, or enter the key. Then enter the code that the app shows.
      </p>
      <div className="flex flex-col gap-5 sm:flex-row sm:items-start">
        <img src={setup.qrCode} alt="QR code of the key" width={184} height={184} className="rounded-md" />
        <div className="flex min-w-0 flex-col items-start gap-3 text-sm">
          <p className="text-muted">Key</p>
          <code className="font-mono break-all">{setup.secret.match(/.{1,4}/g)?.join(" ")}</code>
          <CopyButton text={setup.secret} label="Copy key" />
        </div>
      </div>
      <ActionForm asksIdentity intent="confirm-totp" result={result} className="flex max-w-104 flex-col gap-4">
        <FormField
          name="code"
          label="Code from your app"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
        />
        <SubmitButton className="self-start">Confirm code</SubmitButton>
      </ActionForm>
      <ActionForm intent="cancel-totp" result={null}>
        <SubmitButton variant="quiet" className="self-start">
          Cancel setup
        </SubmitButton>
      </ActionForm>
    </div>
  );
}

function Confirmed() {
  const fetcher = useFetcher<FormResult | null>();
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="max-w-prose text-sm text-muted">We ask for a code from your app after your password.</p>
      {fetcher.data?.message && <Notice tone="bad">{fetcher.data.message}</Notice>}
      <ConfirmButton
        sender={fetcher}
        asksIdentity
        fields={{ intent: "remove-totp" }}
        variant="danger"
        button="Remove authenticator app"
        question="Remove the authenticator app?"
        description="Its codes no longer work. If it is your only second step, your password alone logs you in."
        confirm="Remove"
      />
    </div>
  );
}
