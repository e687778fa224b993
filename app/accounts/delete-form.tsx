import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, useNavigation } from "@remix-run/react";
import { Button, ButtonLink } from "#app/components/button.tsx";
import { Field } from "#app/components/field.tsx";
import { Notice } from "#app/components/notice.tsx";
import { PasswordInput } from "#app/components/password-input.tsx";
import { deletionInput } from "./credentials.ts";
import { useFocusOnRefusal } from "./use-focus-on-refusal.ts";

const ACTION = "/account/delete";

export function DeleteForm({ lastResult }: { lastResult: SubmissionResult | null }) {
  const busy = useNavigation().formAction === ACTION;
  const [form, fields] = useForm({
    lastResult,
    constraint: getZodConstraint(deletionInput),
    onValidate: ({ formData }) => parseWithZod(formData, { schema: deletionInput }),
    shouldRevalidate: "onInput",
  });
  useFocusOnRefusal(form);
  return (
    <Form method="post" action={ACTION} {...getFormProps(form)} className="flex max-w-104 flex-col gap-5">
      {form.errors && (
        <Notice tone="bad" id={form.errorId}>
          {form.errors[0]}
        </Notice>
      )}
      <Field id={fields.password.id} label="Your password" error={fields.password.errors}>
        {(control) => (
          <PasswordInput {...control} name={fields.password.name} required autoComplete="current-password" />
        )}
      </Field>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="danger" size="large" busy={busy}>
          Delete my account for good
        </Button>
        <ButtonLink to="/dashboard/account" variant="quiet" size="large">
          Keep it
        </ButtonLink>
      </div>
    </Form>
  );
}
