import { Field } from "#app/components/forms/field.tsx";
import { PasswordInput } from "#app/components/forms/password-input.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";

type ProviderSettings = { name: string; apiUrl: string; enabled: boolean; markupPercent: number | null };

export const PROVIDER_INTENT = "provider";

export function ProviderForm({
  provider,
  once,
  result,
}: {
  /** Null for a new provider. */
  provider: ProviderSettings | null;
  once: string;
  result: StaffFormResult;
}) {
  const shared = { result, intent: PROVIDER_INTENT };
  const typed = result?.intent === PROVIDER_INTENT ? result.values : undefined;
  return (
    <StaffForm
      intent={PROVIDER_INTENT}
      result={result}
      button={provider ? "Save provider" : "Add provider"}
      variant={provider ? "secondary" : "primary"}
      hidden={{ once }}
    >
      <StaffField {...shared} name="name" label="Name" initial={provider?.name ?? ""} maxLength={60} />
      <StaffField
        {...shared}
        name="apiUrl"
        label="API URL"
        help="The provider’s API must follow the panel convention, like our /api/v2."
        initial={provider?.apiUrl ?? ""}
        maxLength={300}
      />
      <Field
        id="provider-key"
        label="API key"
        optional={provider !== null}
        help={
          provider
            ? "Leave empty to keep the current key. A new URL needs the key again."
            : "Stored encrypted and never shown again."
        }
        error={result?.fields?.key}
      >
        {(control) => <PasswordInput {...control} name="key" autoComplete="off" />}
      </Field>
      <StaffField
        {...shared}
        name="markupPercent"
        label="Markup in percent"
        optional
        help="If set, we import the catalog every night and update changed prices with this markup."
        initial={provider?.markupPercent ?? ""}
        inputMode="numeric"
      />
      <label className="flex min-h-11 items-center gap-2.5 text-sm sm:min-h-0">
        <input
          type="checkbox"
          name="enabled"
          defaultChecked={typed ? typed.enabled !== undefined : (provider?.enabled ?? true)}
          className="size-4 accent-accent"
        />
        Send orders to this provider
      </label>
    </StaffForm>
  );
}

export function ProviderState({ provider, now }: { provider: { enabled: boolean; openUntil: number }; now: number }) {
  if (!provider.enabled) return <Badge>Off</Badge>;
  if (provider.openUntil > now) return <Badge tone="warn">Paused after failures</Badge>;
  return <Badge tone="good">On</Badge>;
}
