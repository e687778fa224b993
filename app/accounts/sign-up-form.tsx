import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, useNavigation } from "@remix-run/react";
import { Button } from "#app/components/button.tsx";
import { Field, Input } from "#app/components/field.tsx";
import { Notice } from "#app/components/notice.tsx";
import { signUpInput } from "./credentials.ts";
import { NewPasswordField } from "./new-password-field.tsx";
import { useFocusOnRefusal } from "./use-focus-on-refusal.ts";

const ACTION = "/auth/signup";

export function SignUpForm({ lastResult, redirectTo }: { lastResult?: SubmissionResult; redirectTo: string }) {
  const busy = useNavigation().formAction === ACTION;
  const [form, fields] = useForm({
    lastResult,
    constraint: getZodConstraint(signUpInput),
    onValidate: ({ formData }) => parseWithZod(formData, { schema: signUpInput }),
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
      <input type="hidden" name="redirectTo" value={redirectTo} />
      <Field id={fields.fullName.id} label="Name" optional error={fields.fullName.errors}>
        {(control) => (
          <Input
            {...control}
            name={fields.fullName.name}
            defaultValue={fields.fullName.initialValue}
            autoComplete="name"
          />
        )}
      </Field>
      <Field id={fields.email.id} label="E-mail address" error={fields.email.errors}>
        {(control) => (
          <Input
            {...control}
            type="email"
            name={fields.email.name}
            defaultValue={fields.email.initialValue}
            required={fields.email.required}
            autoComplete="email"
            autoCapitalize="none"
          />
        )}
      </Field>
      <NewPasswordField id={fields.password.id} name={fields.password.name} error={fields.password.errors} />
      <Button type="submit" size="large" busy={busy}>
        Create account
      </Button>
    </Form>
  );
}
