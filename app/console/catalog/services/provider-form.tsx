import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { PasswordInput } from "#app/components/forms/password-input.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { DEFAULT_CONCURRENT_CALLS, MAX_CONCURRENT_CALLS } from "#app/orders/rules/call-limits.ts";
import { labelsOf } from "#app/words/field-words.ts";
import { PROVIDER_WORDS } from "#app/words/provider-words.ts";

type ProviderSettings = {
  name: string;
  apiUrl: string;
  enabled: boolean;
  riseLimit: number;
  concurrentCalls: number;
  callsPerMinute: number | null;
  honorsIdempotencyKeys: boolean;
  splitsComments: boolean;
};

export const PROVIDER_INTENT = "provider";

const CHECKBOXES = new Set(["honorsIdempotencyKeys", "splitsComments", "enabled"]);

function textOf(name: string, text: string): string {
  return CHECKBOXES.has(name) ? (text === "" ? "Off" : "On") : text;
}

/** Basis points. */
const DEFAULT_RISE_LIMIT = 2_000;

export function ProviderForm({
  provider,
  edit,
  once,
  result,
}: {
  /** Null for a new provider. */
  provider: ProviderSettings | null;
  edit: EditFields | null;
  once: string;
  result: FormResult | null;
}) {
  return (
    <EditForm
      asksIdentity
      intent={PROVIDER_INTENT}
      edit={edit}
      labels={labelsOf(PROVIDER_WORDS)}
      textOf={textOf}
      result={result}
      hidden={{ once }}
    >
      <FormField name="name" label={PROVIDER_WORDS.name} initial={provider?.name ?? ""} maxLength={60} />
      <FormField
        name="apiUrl"
        label={PROVIDER_WORDS.apiUrl}
        help="The provider's API must follow the panel convention, like our /api/v2."
        initial={provider?.apiUrl ?? ""}
        maxLength={300}
      />
      <FormField
        name="key"
        label={PROVIDER_WORDS.key}
        optional={provider !== null}
        help={
          provider
            ? "Leave empty to keep the current key. A new URL needs the key again."
            : "Stored encrypted and never shown again."
        }
      >
        {(control) => <PasswordInput {...control} autoComplete="off" />}
      </FormField>
      <FormField
        name="riseLimit"
        label={`${PROVIDER_WORDS.riseLimit}, in percent`}
        help="How far the nightly comparison may move a rate from what you last decided. Bigger moves wait for your decision."
        initial={(provider?.riseLimit ?? DEFAULT_RISE_LIMIT) / 100}
        inputMode="decimal"
      />
      <FormField
        name="concurrentCalls"
        label={PROVIDER_WORDS.concurrentCalls}
        help={`From 1 to ${MAX_CONCURRENT_CALLS}. Orders, statuses and cancellations share them.`}
        initial={provider?.concurrentCalls ?? DEFAULT_CONCURRENT_CALLS}
        inputMode="numeric"
      />
      <FormField
        name="callsPerMinute"
        label={PROVIDER_WORDS.callsPerMinute}
        optional
        help="Enter the provider's limit if it has one. We spread our calls evenly over the minute."
        initial={provider?.callsPerMinute ?? ""}
        inputMode="numeric"
      />
      <FormCheckbox
        name="honorsIdempotencyKeys"
        label={PROVIDER_WORDS.honorsIdempotencyKeys}
        help="Only if it returns the first response to a repeated request_id for 24 hours, as our own API does. Orders whose call is cut off are then sent again. Otherwise they're held."
        initial={provider?.honorsIdempotencyKeys ?? false}
      />
      <FormCheckbox
        name="splitsComments"
        label={PROVIDER_WORDS.splitsComments}
        help="Then “Great, thanks” would arrive as two comments. Orders with a comma in a comment or username are refused before they're charged. Those that wait already are held."
        initial={provider?.splitsComments ?? false}
      />
      <FormCheckbox name="enabled" label={PROVIDER_WORDS.enabled} initial={provider?.enabled ?? true} />
      <div>
        <SubmitButton variant={provider ? "secondary" : "primary"}>
          {provider ? "Save provider" : "Add provider"}
        </SubmitButton>
      </div>
    </EditForm>
  );
}

export function ProviderState({
  provider,
  now,
}: {
  provider: { enabled: boolean; failures: number; openUntil: number; pausedFor: "key" | "funds" | null };
  now: number;
}) {
  if (!provider.enabled) return <Badge>Off</Badge>;
  if (provider.pausedFor === "funds") return <Badge tone="warn">Paused: no funds there</Badge>;
  if (provider.pausedFor === "key") return <Badge tone="warn">Paused: key refused</Badge>;
  if (provider.openUntil > now) {
    // Without a failure it is a 429 that says when to call again.
    return <Badge tone="warn">{provider.failures > 0 ? "Paused after failures" : "Paused: too many calls"}</Badge>;
  }
  return <Badge tone="good">On</Badge>;
}
