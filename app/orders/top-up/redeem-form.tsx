import { Form } from "@remix-run/react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { useIsSubmitting } from "#app/components/forms/use-is-submitting.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { TopUpResult } from "./top-up-form.server.ts";

export function RedeemForm({ result }: { result: TopUpResult | null }) {
  const own = result?.intent === "code" ? result : null;
  const busy = useIsSubmitting("code");
  return (
    <Form method="post" key={own?.ok ? own.message : "code"} className="flex flex-col gap-4">
      <input type="hidden" name="intent" value="code" />
      {own?.ok && <Notice tone="good">{own.message}</Notice>}
      <Field
        id="top-up-code"
        label="Code"
        help="Not case-sensitive. Hyphens are optional."
        error={own && !own.ok ? own.error : undefined}
      >
        {(control) => (
          <Input
            {...control}
            name="code"
            maxLength={60}
            defaultValue={own && !own.ok ? own.typed : ""}
            placeholder="GL-XXXX-XXXX-XXXX-XXXX"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
      <div>
        <Button type="submit" busy={busy}>
          Redeem
        </Button>
      </div>
    </Form>
  );
}
