import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { ReasonField } from "#app/console/reason-field.tsx";
import type { StaffSuppression } from "#app/email/email-admin.server.ts";
import { nameOf } from "./suppression-table.tsx";

/** The form that lets a suppressed address get emails again. */
export function LiftSuppressionForm({ chosen, result }: { chosen: StaffSuppression; result: FormResult | null }) {
  return (
    <Card title="Remove suppression" titleId="lift">
      <ActionForm
        key={`${chosen.digest} ${chosen.createdAt}`}
        intent="lift"
        result={result}
        hidden={{ digest: chosen.digest, at: String(chosen.createdAt) }}
      >
        <p className="text-sm text-muted">
          <b className="font-medium break-all text-text">{nameOf(chosen)}</b> gets emails again, until one bounces or is
          reported as spam. If your email service keeps a list of its own, remove the address there too.
        </p>
        <ReasonField help="Saved in the audit log." />
        <div>
          <SubmitButton>Remove suppression</SubmitButton>
        </div>
      </ActionForm>
    </Card>
  );
}
