import { type FetcherWithComponents, useFetcher } from "@remix-run/react";
import ChevronRight from "lucide-react/icons/chevron-right";
import KeyRound from "lucide-react/icons/key-round";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton, useFormState } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { useResultToast } from "#app/components/forms/use-result-toast.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { ownValue } from "#app/own-value.ts";
import type { ApiKeyRow } from "./api-keys.server.ts";
import { KeyLimitFields } from "./key-limit-fields.tsx";
import { KeyLimitsForm } from "./key-limits-form.tsx";

/** The part of the page's result that concerns keys. `key` is a new one, shown once. */
type KeyResult = FormResult & { key?: { id: string; name: string; key: string } };

/** `submitted` is the result of a form that the browser submitted without scripts. `shownId`: the key whose limits are open. */
export function ApiKeys({
  keys,
  shownId,
  submitted,
}: {
  keys: ApiKeyRow[];
  shownId: string | null;
  submitted: KeyResult | null;
}) {
  const create = useFetcher<KeyResult>();
  const change = useFetcher<KeyResult>();
  useResultToast(change.data);
  const result = create.data ?? submitted;
  const created = newest(keys, [change.data, result]);
  const shown = keys.find(({ id }) => id === shownId);
  return (
    <>
      {created && (
        <div role="status" className="animate-rise border-b border-line bg-good-wash p-4 text-sm sm:px-5">
          <p className="font-medium">Copy the key “{created.name}” now. It won't be shown again.</p>
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <code className="min-w-0 font-mono break-all">{created.key}</code>
            <CopyButton text={created.key} />
          </div>
        </div>
      )}
      {keys.length === 0 ? (
        <EmptyState icon={KeyRound} title="No API keys yet">
          A key lets your code read and place orders. Create your first one below.
        </EmptyState>
      ) : (
        <Table
          label="API keys"
          head={
            <>
              <Th>Name</Th>
              <Th>Prefix</Th>
              <Th>Access</Th>
              <Th>Last used</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </>
          }
        >
          {keys.map((key) => (
            <tr key={key.id}>
              <Td className="py-2">
                <span className="block max-w-48 truncate" title={key.name}>
                  {key.name}
                </span>
                <Limits apiKey={key} />
              </Td>
              <Td className="font-mono">{key.prefix}…</Td>
              <Td>
                <Badge>{accessText(key)}</Badge>
              </Td>
              <Td className="text-muted">{key.lastUsedAt ? <RelativeDate at={key.lastUsedAt} /> : "Never"}</Td>
              <Td>
                <div className="flex justify-end gap-1">
                  {key.replacedAt === null && (
                    <>
                      <ButtonLink
                        to={`/dashboard/api?key=${key.id}#api-keys`}
                        variant="quiet"
                        preventScrollReset
                        aria-label={`Limits of the key ${key.name}`}
                        aria-current={key.id === shownId ? "true" : undefined}
                        className="aria-[current=true]:bg-sunken aria-[current=true]:text-text"
                      >
                        Limits
                      </ButtonLink>
                      <Rotate apiKey={key} sender={change} />
                    </>
                  )}
                  <Revoke apiKey={key} sender={change} />
                </div>
              </Td>
            </tr>
          ))}
        </Table>
      )}
      {shown && <KeyLimitsForm key={shown.id} apiKey={shown} submitted={submitted} />}
      <ActionForm
        asksIdentity
        intent="create-key"
        sender={create}
        result={result}
        className="flex flex-wrap items-start gap-3 border-t border-line p-4 sm:px-5"
      >
        <FormField
          name="name"
          label="Key name"
          help="For example, the app that will use it."
          className="min-w-56 flex-1"
          maxLength={60}
        />
        <FormField name="may" label="Permissions" initial="order" className="w-full sm:w-64">
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              <option value="order">Read and place orders</option>
              <option value="read">Read only</option>
              <option value="test">Test: never charged</option>
            </Select>
          )}
        </FormField>
        <Options />
        <SubmitButton variant="secondary">Create key</SubmitButton>
      </ActionForm>
    </>
  );
}

/** The limits of a new key. Open if one has an error. */
function Options() {
  const { errors } = useFormState();
  const isWrong = ["expires", "lastDay", "addresses", "dailyCap"].some((name) => ownValue(errors, name));
  return (
    <details key={String(isWrong)} open={isWrong || undefined} className="group w-full">
      <summary className="flex min-h-11 w-fit cursor-pointer items-center gap-2 rounded-md text-sm font-medium select-none sm:min-h-9">
        <ChevronRight aria-hidden className="size-4 text-muted transition-transform group-open:rotate-90" />
        Options
        <span className="font-normal text-muted group-open:hidden">expiry, IP addresses, daily cap</span>
      </summary>
      <div className="pt-2 pb-1">
        <KeyLimitFields />
      </div>
    </details>
  );
}

/** A replaced key spends from the cap of its successor, which shows it. */
function Limits({ apiKey: { expiresAt, replacedAt, addresses, dailyCap, spent } }: { apiKey: ApiKeyRow }) {
  const addressCount = addresses.length === 1 ? "1 address" : `${addresses.length} addresses and ranges`;
  return (
    <span className="block text-xs whitespace-nowrap text-muted">
      {expiresAt !== null && (
        <span className="block">
          {replacedAt === null ? "Expires" : "Replaced, expires"} <RelativeDate at={expiresAt} />
        </span>
      )}
      {dailyCap !== null && replacedAt === null && (
        <span className="block">
          <Money micro={spent} /> of <Money micro={dailyCap} /> spent today
        </span>
      )}
      {addresses.length > 0 && (
        <span className="block" title={addresses.join("\n")}>
          Only {addressCount}
        </span>
      )}
    </span>
  );
}

/** Returns the newest created key if it still exists. */
function newest(keys: ApiKeyRow[], results: (KeyResult | null | undefined)[]) {
  const created = results.flatMap((result) => result?.key ?? []);
  return keys.flatMap((key) => created.filter(({ id }) => id === key.id))[0] ?? null;
}

function accessText({ isTest, canOrder }: ApiKeyRow): string {
  if (isTest) return "Test";
  return canOrder ? "Read, order" : "Read";
}

type Change = { apiKey: ApiKeyRow; sender: FetcherWithComponents<unknown> };

function Rotate({ apiKey, sender }: Change) {
  return (
    <ActionForm asksIdentity intent="rotate-key" sender={sender} result={null} hidden={{ id: apiKey.id }}>
      <SubmitButton
        variant="quiet"
        title="Creates a key with the same permissions and limits. This one works for one more day."
        aria-label={`Replace the key ${apiKey.name}`}
      >
        Replace
      </SubmitButton>
    </ActionForm>
  );
}

function Revoke({ apiKey, sender }: Change) {
  return (
    <ConfirmButton
      sender={sender}
      fields={{ intent: "revoke-key", id: apiKey.id }}
      button="Revoke"
      label={`Revoke the key ${apiKey.name}`}
      busy={sender.formData?.get("id") === apiKey.id && sender.formData.get("intent") === "revoke-key"}
      question={`Revoke “${apiKey.name}”?`}
      description="Code that uses this key stops working right away. This can't be undone."
      confirm="Revoke key"
    />
  );
}
