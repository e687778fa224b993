import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormCheckbox } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { BeforeAndAfter } from "#app/console/audit/before-and-after.tsx";
import type { UndoLeft } from "#app/http/edits/undo-plan.ts";
import type { ShownUndo } from "./undo-form.server.ts";

const INTENT = "undo";

/** What undoing an entry does, with the button that does it; or why it can't be undone. */
export function UndoCard({ undo, result }: { undo: ShownUndo; result: FormResult | null }) {
  const { plan, digest, changes, left } = undo;
  const { number } = useFormats();
  if (plan.kind === "never") {
    return (
      <Card title="Can't be undone" titleId="undo">
        <p className="max-w-prose text-sm text-muted">{plan.why}</p>
      </Card>
    );
  }
  if (plan.kind === "elsewhere") {
    return (
      <Card title="Undo" titleId="undo">
        <p className="max-w-prose text-sm text-muted">{plan.why}</p>
        <ButtonLink to={plan.to} variant="secondary" className="mt-4">
          {plan.link}
        </ButtonLink>
      </Card>
    );
  }
  if (plan.kind === "nothing") {
    return (
      <Card title="Nothing to undo" titleId="undo">
        {result?.message && <p className="mb-3 text-sm">{result.message}</p>}
        <p className="max-w-prose text-sm text-muted">All of it was changed since, and that stays:</p>
        <LeftList left={plan.left} count={left} />
      </Card>
    );
  }
  return (
    <Card title="What undoing it does" titleId="undo" flush>
      <BeforeAndAfter
        label="What undoing it does"
        heads={{ what: "What", before: "Now", after: "Afterwards" }}
        values={plan.changes.map(({ label, now, to }) => ({
          key: `${label} ${now} ${to}`,
          label,
          before: now,
          after: to,
        }))}
      />
      <div className="flex flex-col gap-4 border-t border-line p-4 sm:p-5">
        {changes > plan.changes.length && (
          <p className="text-sm text-muted">And {number(changes - plan.changes.length)} more.</p>
        )}
        {left > 0 && (
          <div>
            <p className="text-sm">This stays as it is:</p>
            <LeftList left={plan.left} count={left} />
          </div>
        )}
        <ActionForm asksIdentity intent={INTENT} result={result} hidden={{ digest }}>
          {plan.asksForLoss && (
            <FormCheckbox
              name="loss"
              label="Sell it below cost"
              help="At the rate from before, the service takes less than its provider does."
            />
          )}
          <div>
            <SubmitButton>Undo</SubmitButton>
          </div>
        </ActionForm>
      </div>
    </Card>
  );
}

function LeftList({ left, count }: { left: UndoLeft[]; count: number }) {
  const { number } = useFormats();
  return (
    <ul className="mt-2 flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
      {left.map(({ label, why }) => (
        <li key={`${label} ${why}`} className="break-words">
          {label}: {why}
        </li>
      ))}
      {count > left.length && <li>and {number(count - left.length)} more</li>}
    </ul>
  );
}
