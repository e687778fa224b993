import { Form, useNavigation } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { useFormDraft } from "#app/components/forms/use-draft.ts";
import { Button } from "#app/components/ui/button.tsx";

/** Under which the lines are kept until they are placed; `draft` is the key they are placed with. */
export function massDraftKey(draft: string): string {
  return `mass:${draft}`;
}

/** Lines as they are typed or pasted. They are looked at before anything is placed. */
export function MassOrderForm({
  draft,
  typed,
  error,
  mending,
}: {
  draft: string;
  typed: string;
  error: string | null;
  mending: boolean;
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
        label={mending ? "Mend the lines here" : "One order a line: service | link | quantity"}
        error={error ?? undefined}
        help={
          <>
            Rows pasted from a spreadsheet work too. For other fields begin with a line of names, such as{" "}
            <code className="font-mono">service | link | quantity | runs | interval</code>. At most {number(5000)}{" "}
            lines.
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
      <Button type="submit" variant={mending ? "secondary" : "primary"} size="large" busy={busy} className="mt-4">
        Check the lines
      </Button>
    </Form>
  );
}
