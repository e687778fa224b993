import { type FetcherWithComponents, useFetcher } from "@remix-run/react";
import KeyRound from "lucide-react/icons/key-round";
import { type MouseEvent, useEffect, useState } from "react";
import { Button } from "#app/components/button.tsx";
import { CopyButton } from "#app/components/copy-button.tsx";
import { RelativeDate } from "#app/components/date.tsx";
import { Dialog, DialogActions } from "#app/components/dialog.tsx";
import { EmptyState } from "#app/components/empty-state.tsx";
import { Field, Input } from "#app/components/field.tsx";
import { Table, Td, Th } from "#app/components/table.tsx";
import { toast } from "#app/components/toast.tsx";

export type ApiKeyRow = { id: string; name: string; prefix: string; createdAt: number; lastUsedAt: number | null };
export type ApiKeyResult = { created: { id: string; name: string; key: string } } | { error: string } | null;

/** `sentWithoutScripts` is the answer to a form that the browser sent by itself. */
export function ApiKeys({ keys, sentWithoutScripts }: { keys: ApiKeyRow[]; sentWithoutScripts: ApiKeyResult }) {
  const create = useFetcher<{ apiKey: ApiKeyResult }>();
  const revoke = useFetcher<{ revoked: boolean }>();
  useEffect(() => {
    if (revoke.data?.revoked) toast.success("The key is revoked.");
  }, [revoke.data]);
  const result = create.data?.apiKey ?? sentWithoutScripts;
  const created = result && "created" in result ? result.created : null;
  const shown = created && keys.some(({ id }) => id === created.id) ? created : null;
  return (
    <>
      {shown && (
        <div role="status" className="animate-rise border-b border-line bg-good-wash p-4 text-sm sm:px-5">
          <p className="font-medium">Copy the key “{shown.name}” now. It is not shown again.</p>
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <code className="min-w-0 font-mono break-all">{shown.key}</code>
            <CopyButton text={shown.key} />
          </div>
        </div>
      )}
      {keys.length === 0 ? (
        <EmptyState icon={KeyRound} title="No API keys yet">
          A key lets a program of yours read your orders and place new ones. Name one below to create it.
        </EmptyState>
      ) : (
        <Table
          label="API keys"
          head={
            <>
              <Th>Name</Th>
              <Th>Begins with</Th>
              <Th>Last used</Th>
              <Th>
                <span className="sr-only">Revoke</span>
              </Th>
            </>
          }
        >
          {keys.map((key) => (
            <tr key={key.id}>
              <Td>
                <span className="block max-w-40 truncate" title={key.name}>
                  {key.name}
                </span>
              </Td>
              <Td className="font-mono">{key.prefix}…</Td>
              <Td className="text-muted">{key.lastUsedAt ? <RelativeDate at={key.lastUsedAt} /> : "Never"}</Td>
              <Td className="text-right">
                <Revoke apiKey={key} sender={revoke} />
              </Td>
            </tr>
          ))}
        </Table>
      )}
      <create.Form method="post" key={created?.id} className="border-t border-line p-4 sm:px-5">
        <input type="hidden" name="intent" value="create-key" />
        <Field
          id="key-name"
          label="Name of a new key"
          error={result && "error" in result ? result.error : undefined}
          help="So that you know later what uses it."
        >
          {(control) => (
            <div className="flex gap-2">
              <Input {...control} name="name" maxLength={60} autoComplete="off" />
              <Button type="submit" variant="secondary" busy={create.state !== "idle"} className="sm:h-10">
                Create key
              </Button>
            </div>
          )}
        </Field>
      </create.Form>
    </>
  );
}

function Revoke({ apiKey, sender }: { apiKey: ApiKeyRow; sender: FetcherWithComponents<unknown> }) {
  const [asking, setAsking] = useState(false);
  const busy = sender.formData?.get("id") === apiKey.id;
  const fields = (
    <>
      <input type="hidden" name="intent" value="revoke-key" />
      <input type="hidden" name="id" value={apiKey.id} />
    </>
  );

  // Without scripts the button revokes at once; with them it asks first.
  function ask(event: MouseEvent) {
    event.preventDefault();
    setAsking(true);
  }

  return (
    <>
      <sender.Form method="post">
        {fields}
        <Button type="submit" variant="quiet" busy={busy} onClick={ask} aria-label={`Revoke the key ${apiKey.name}`}>
          Revoke
        </Button>
      </sender.Form>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={`Revoke “${apiKey.name}”?`}
        description="Programs that use this key are refused from now on. This cannot be undone."
      >
        <sender.Form method="post" onSubmit={() => setAsking(false)}>
          {fields}
          <DialogActions>
            <Button variant="secondary" onClick={() => setAsking(false)}>
              Keep it
            </Button>
            <Button type="submit" variant="danger">
              Revoke key
            </Button>
          </DialogActions>
        </sender.Form>
      </Dialog>
    </>
  );
}
