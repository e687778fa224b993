import { Form, useNavigation } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { useFormDraft } from "#app/components/forms/use-draft.ts";
import { Button } from "#app/components/ui/button.tsx";

/** Returns the storage key of unsent lines. `draft` is the key that they are placed with. */
export function massDraftKey(draft: string): string {
  return `mass:${draft}`;
}

/** The form for typed or pasted lines. They are checked before anything is placed. */
export function MassOrderForm({
  draft,
  typed,
  error,
  isFixing,
}: {
  draft: string;
  typed: string;
  error: string | null;
  isFixing: boolean;
}) {
  const { number } = useFormats();
  const { ref } = useFormDraft(massDraftKey(draft));
  const { state, formData } = useNavigation();
  const busy = state !== "idle" && formData?.get("intent") === "check";
  return (
    <Form ref={ref} method="post" action={`/dashboard/orders/mass?draft=${draft}`} className="mt-6 max-w-3xl">
      <input type="hidden" name="intent" value="check" />
      <Field
        id="mass-lines"
        label={isFixing ? "Fix lines" : "One order per line: service | link | quantity"}
        error={error ?? undefined}
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
            name="lines"
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
      </Field>
      <Button type="submit" variant={isFixing ? "secondary" : "primary"} size="large" busy={busy} className="mt-4">
        Check lines
      </Button>
    </Form>
  );
}
