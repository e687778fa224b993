import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, Link, useNavigation } from "@remix-run/react";
import { Button } from "#app/components/button.tsx";
import { Field, Input } from "#app/components/field.tsx";
import { Notice } from "#app/components/notice.tsx";
import { PasswordInput } from "#app/components/password-input.tsx";
import { logInInput } from "./credentials.ts";
import { useFocusOnRefusal } from "./use-focus-on-refusal.ts";

const ACTION = "/auth/login";

export function LogInForm({ lastResult, redirectTo }: { lastResult?: SubmissionResult; redirectTo: string }) {
  const busy = useNavigation().formAction === ACTION;
  const [form, fields] = useForm({
    lastResult,
    constraint: getZodConstraint(logInInput),
    onValidate: ({ formData }) => parseWithZod(formData, { schema: logInInput }),
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
      <Field id={fields.password.id} label="Password" error={fields.password.errors}>
        {(control) => (
          <PasswordInput
            {...control}
            name={fields.password.name}
            required={fields.password.required}
            autoComplete="current-password"
          />
        )}
      </Field>
      <Button type="submit" size="large" busy={busy}>
        Log in
      </Button>
      <Link
        to="/reset-password"
        className="inline-flex h-11 items-center self-start text-sm text-muted underline underline-offset-4 hover:text-text sm:h-8"
      >
        Forgot your password?
      </Link>
    </Form>
  );
}
