import { Form, useNavigation } from "@remix-run/react";
import { Fragment, type ReactNode } from "react";
import { Notice } from "#app/components/ui/notice.tsx";
import type { AccountInput, AccountInputField } from "./account-input.ts";
import { type CheckedField, type FormResult, useCheckedForm } from "./use-checked-form.ts";

/**
 * A form checked in the browser and on the server, see `useCheckedForm`. `done` is the success message. `hidden` holds
 * hidden fields; an `intent` among them tells apart the forms of one page.
 */
export function CheckedForm<Input extends AccountInput>({
  input,
  action,
  result,
  done = null,
  hidden = {},
  className = "",
  children,
}: {
  input: Input;
  action?: string;
  result: FormResult | null | undefined;
  done?: string | null;
  hidden?: Record<string, string>;
  className?: string;
  children: (field: (name: AccountInputField<Input>) => CheckedField, busy: boolean) => ReactNode;
}) {
  const navigation = useNavigation();
  const { formProps, round, error, errorId, field } = useCheckedForm(input, result ?? null);
  const busy = hidden.intent
    ? navigation.formData?.get("intent") === hidden.intent
    : action !== undefined && navigation.formAction === action;
  return (
    <Form
      method="post"
      action={action}
      preventScrollReset={hidden.intent !== undefined}
      {...formProps}
      className={`flex flex-col gap-5 ${className}`}
    >
      {error && (
        <Notice tone="bad" id={errorId}>
          {error}
        </Notice>
      )}
      {done && <Notice tone="good">{done}</Notice>}
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Fragment key={round}>{children(field, busy)}</Fragment>
    </Form>
  );
}
