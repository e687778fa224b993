import { useFetcher } from "@remix-run/react";
import type { FormEvent } from "react";
import { usePasskey } from "#app/accounts/factors/browser/use-passkey.ts";
import type { ListedPasskey } from "#app/accounts/factors/factors.server.ts";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";

type Props = { passkeys: ListedPasskey[]; deviceName: string; result: FormResult | null };

const ASK_AFTER_PASSWORD = {
  name: "isSecondFactor",
  label: "Ask for a passkey after my password too",
  help: "Then your password alone no longer logs anyone in.",
};

export function PasskeyCard({ passkeys, deviceName, result }: Props) {
  return (
    <Card title="Passkeys" titleId="passkeys" flush>
      <p className="max-w-prose p-4 text-sm text-muted sm:px-5">
        Log in with your fingerprint, face or screen lock instead of your password. A passkey can't be guessed, and it
        works on this site only.
      </p>
      <ul className="divide-y divide-line border-y border-line empty:hidden">
        {passkeys.map((passkey) => (
          <PasskeyItem key={passkey.id} passkey={passkey} result={result} />
        ))}
      </ul>
      <div className="p-4 sm:p-5">
        <AddPasskey deviceName={deviceName} result={result} />
      </div>
    </Card>
  );
}

function PasskeyItem({ passkey, result }: { passkey: ListedPasskey; result: FormResult | null }) {
  const fetcher = useFetcher<FormResult | null>();
  const { id, name, isSynced, isSecondFactor, createdAt, lastUsedAt } = passkey;
  const own = result?.intent === "change-passkey" && result.values?.id === id ? result : null;
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 text-sm">
          <p className="flex flex-wrap items-center gap-2 font-medium break-words">
            {name}
            {isSecondFactor && <Badge tone="good">Second step</Badge>}
            {isSynced && <Badge tone="neutral">Synced</Badge>}
          </p>
          <p className="text-muted">
            Added <RelativeDate at={createdAt} />,{" "}
            {lastUsedAt === null ? (
              "not used yet"
            ) : (
              <>
                last used <RelativeDate at={lastUsedAt} />
              </>
            )}
          </p>
        </div>
        <ConfirmButton
          sender={fetcher}
          asksIdentity
          fields={{ intent: "remove-passkey", id }}
          variant="danger"
          button="Remove"
          label={`Remove ${name}`}
          question={`Remove the passkey “${name}”?`}
          description="It no longer logs you in. Your device may keep showing it until you delete it there too."
          confirm="Remove"
        />
      </div>
      {fetcher.data?.message && <Notice tone="bad">{fetcher.data.message}</Notice>}
      <details className="mt-1 text-sm" open={own !== null}>
        <summary className="flex min-h-11 cursor-pointer items-center font-medium sm:min-h-8">Edit {name}</summary>
        <ActionForm
          asksIdentity
          intent="change-passkey"
          id={`passkey-${id}`}
          result={own}
          hidden={{ id }}
          className="flex max-w-104 flex-col gap-4 py-2"
        >
          <FormField name="name" label="Name" required maxLength={60} initial={name} />
          <FormCheckbox {...ASK_AFTER_PASSWORD} initial={isSecondFactor} />
          <SubmitButton variant="secondary" className="self-start">
            Save passkey
          </SubmitButton>
        </ActionForm>
      </details>
    </li>
  );
}

function AddPasskey({ deviceName, result }: { deviceName: string; result: FormResult | null }) {
  const passkey = usePasskey({ purpose: "register", action: "" });
  const isHydrated = useIsHydrated();

  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)];
    void passkey.ask(Object.fromEntries(fields.map(([name, value]) => [name, String(value)])));
  }

  if (!isHydrated || !passkey.isAvailable) {
    return <p className="text-sm text-muted">To add a passkey, open this page in a browser that supports passkeys.</p>;
  }
  return (
    <ActionForm asksIdentity intent="passkey" result={result} onSubmit={add} className="flex max-w-104 flex-col gap-4">
      {passkey.error && <Notice tone="bad">{passkey.error}</Notice>}
      <FormField
        name="name"
        label="Name of the new passkey"
        help="So that you recognize it in the list."
        required
        maxLength={60}
        initial={deviceName}
      />
      <FormCheckbox {...ASK_AFTER_PASSWORD} initial />
      <SubmitButton className="self-start">Add passkey</SubmitButton>
    </ActionForm>
  );
}
