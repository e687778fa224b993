import { Field } from "#app/components/forms/field.tsx";
import { PasswordInput } from "#app/components/forms/password-input.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";

type Shown = { name: string; apiUrl: string; enabled: boolean; markupPercent: number | null };

const INTENT = "provider";

export function ProviderForm({
  provider,
  once,
  answer,
}: {
  /** Null for a new one. */
  provider: Shown | null;
  once: string;
  answer: StaffFormResult;
}) {
  const shared = { answer, intent: INTENT };
  const typed = answer?.intent === INTENT ? answer.values : undefined;
  return (
    <StaffForm
      intent={INTENT}
      answer={answer}
      button={provider ? "Save" : "Add provider"}
      variant={provider ? "secondary" : "primary"}
      hidden={{ once }}
    >
      <StaffField {...shared} name="name" label="Name" initial={provider?.name ?? ""} maxLength={60} />
      <StaffField
        {...shared}
        name="apiUrl"
        label="Address of its API"
        help="It must speak the panel convention, as our /api/v2 does."
        initial={provider?.apiUrl ?? ""}
        maxLength={300}
      />
      <Field
        id="provider-key"
        label="API key"
        optional={provider !== null}
        help={
          provider
            ? "Leave it empty to keep the one that is there. A new address needs it again."
            : "Kept sealed, and never shown again."
        }
        error={answer?.fields?.key}
      >
        {(control) => <PasswordInput {...control} name="key" autoComplete="off" />}
      </Field>
      <StaffField
        {...shared}
        name="markupPercent"
        label="Markup in percent"
        optional
        help="With one, the catalog is read each night and changed prices are taken over with it."
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
        Orders are sent there
      </label>
    </StaffForm>
  );
}

export function ProviderState({ provider, now }: { provider: { enabled: boolean; openUntil: number }; now: number }) {
  if (!provider.enabled) return <Badge>Off</Badge>;
  if (provider.openUntil > now) return <Badge tone="warn">Left alone after failures</Badge>;
  return <Badge tone="good">On</Badge>;
}
