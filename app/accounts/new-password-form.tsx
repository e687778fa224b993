import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, useNavigation } from "@remix-run/react";
import { Button } from "#app/components/button.tsx";
import { Notice } from "#app/components/notice.tsx";
import { resetInput } from "./credentials.ts";
import { NewPasswordField } from "./new-password-field.tsx";
import { useFocusOnRefusal } from "./use-focus-on-refusal.ts";

const ACTION = "/reset-password";

/** Behind a mailed link: `token` is the link's. */
export function NewPasswordForm({ token, lastResult }: { token: string; lastResult: SubmissionResult | null }) {
  const busy = useNavigation().formAction === ACTION;
  const [form, fields] = useForm({
    lastResult,
    constraint: getZodConstraint(resetInput),
    onValidate: ({ formData }) => parseWithZod(formData, { schema: resetInput }),
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
      <input type="hidden" name="token" value={token} />
      <NewPasswordField
        id={fields.password.id}
        name={fields.password.name}
        label="New password"
        error={fields.password.errors}
      />
      <Button type="submit" size="large" busy={busy}>
        Set password
      </Button>
    </Form>
  );
}
