import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Textarea } from "#app/components/forms/textarea.tsx";

/** The form for typed or pasted lines where there are no scripts. They are checked before anything is placed. */
export function MassOrderForm({
  draft,
  typed,
  result,
  isFixing,
}: {
  draft: string;
  typed: string;
  result: FormResult | undefined;
  isFixing: boolean;
}) {
  const { number } = useFormats();
  return (
    <ActionForm
      intent="check"
      action={`/dashboard/orders/mass?draft=${draft}`}
      result={result}
      preventScrollReset={false}
      className="mt-6 max-w-3xl"
    >
      <FormField
        name="lines"
        label={isFixing ? "Fix lines" : "One order per line: service | link | quantity"}
        help={
          <>
            You can paste rows from a spreadsheet. To use other fields, start with a line of column names, such as{" "}
            <code className="font-mono">service | link | quantity | runs | interval</code>. Up to {number(5000)} lines.
          </>
        }
      >
        {(control) => (
          <Textarea
            {...control}
            key={typed}
            rows={10}
            defaultValue={typed}
            wrap="off"
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            placeholder={"1 | https://instagram.com/p/… | 1000\n3 | https://www.tiktok.com/@…/video/… | 500"}
            className="font-mono"
          />
        )}
      </FormField>
      <SubmitButton variant={isFixing ? "secondary" : "primary"} size="large" className="mt-4">
        Check lines
      </SubmitButton>
    </ActionForm>
  );
}
