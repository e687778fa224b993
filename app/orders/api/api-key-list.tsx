import { type FetcherWithComponents, useFetcher } from "@remix-run/react";
import KeyRound from "lucide-react/icons/key-round";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { useResultToast } from "#app/components/forms/use-result-toast.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listApiKeys } from "./api-keys.server.ts";

export type ApiKeyRow = Awaited<ReturnType<typeof listApiKeys>>[number];
/** The part of the page's result that concerns keys. `key` is a new one, shown once. */
type KeyResult = FormResult & { key?: { id: string; name: string; key: string } };

/** `submitted` is the result of a form that the browser submitted without scripts. */
export function ApiKeys({ keys, submitted }: { keys: ApiKeyRow[]; submitted: KeyResult | null }) {
  const create = useFetcher<KeyResult>();
  const change = useFetcher<KeyResult>();
  useResultToast(change.data);
  const result = create.data ?? submitted;
  const created = newest(keys, [change.data, result]);
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
              <Td>
                <span className="block max-w-48 truncate" title={key.name}>
                  {key.name}
                </span>
                {key.expiresAt !== null && (
                  <span className="block text-xs whitespace-nowrap text-muted">
                    Expires <RelativeDate at={key.expiresAt} />
                  </span>
                )}
              </Td>
              <Td className="font-mono">{key.prefix}…</Td>
              <Td>
                <Badge>{accessText(key)}</Badge>
              </Td>
              <Td className="text-muted">{key.lastUsedAt ? <RelativeDate at={key.lastUsedAt} /> : "Never"}</Td>
              <Td>
                <div className="flex justify-end gap-1">
                  {key.expiresAt === null && <Rotate apiKey={key} sender={change} />}
                  <Revoke apiKey={key} sender={change} />
                </div>
              </Td>
            </tr>
          ))}
        </Table>
      )}
      <ActionForm
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
        <SubmitButton variant="secondary" className="sm:mt-7 sm:h-10">
          Create key
        </SubmitButton>
      </ActionForm>
    </>
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
    <ActionForm intent="rotate-key" sender={sender} result={null} hidden={{ id: apiKey.id }}>
      <SubmitButton
        variant="quiet"
        title="Creates a key with the same permissions. This one works for one more day."
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
