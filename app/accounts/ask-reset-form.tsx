import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, useNavigation } from "@remix-run/react";
import { Button } from "#app/components/button.tsx";
import { Field, Input } from "#app/components/field.tsx";
import { Notice } from "#app/components/notice.tsx";
import { requestResetInput } from "./credentials.ts";
import { useFocusOnRefusal } from "./use-focus-on-refusal.ts";

const ACTION = "/reset-password";

export function AskResetForm({ lastResult }: { lastResult: SubmissionResult | null }) {
  const busy = useNavigation().formAction === ACTION;
  const [form, fields] = useForm({
    lastResult,
    constraint: getZodConstraint(requestResetInput),
    onValidate: ({ formData }) => parseWithZod(formData, { schema: requestResetInput }),
    shouldRevalidate: "onInput",
  });
  useFocusOnRefusal(form);
  return (
    <Form method="post" action={ACTION} {...getFormProps(form)} className="flex flex-col gap-5">
      {form.errors && (
        <Notice tone="bad" id={form.errorId}>
          {form.errors[0]}
        </Notice>
      )}
      <Field id={fields.email.id} label="E-mail address" error={fields.email.errors}>
        {(control) => (
          <Input
            {...control}
            type="email"
            name={fields.email.name}
            defaultValue={fields.email.initialValue}
            required={fields.email.required}
            autoComplete="username"
            autoCapitalize="none"
          />
        )}
      </Field>
      <Button type="submit" size="large" busy={busy}>
        Send a link
      </Button>
    </Form>
  );
}
