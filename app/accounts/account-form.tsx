import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import type { z } from "zod";
import { Button } from "#app/components/button.tsx";
import { Notice } from "#app/components/notice.tsx";
import { useFocusOnRefusal } from "./use-focus-on-refusal.ts";

/** The part of the server's answer that a form shows. */
export type FormAnswer = { intent: string; result: SubmissionResult | null; done: string | null };

/** One form of the account page; `intent` tells the server which. */
export function AccountForm<Schema extends z.ZodObject>({
  intent,
  schema,
  answer,
  button,
  children,
}: {
  intent: string;
  schema: Schema;
  answer: FormAnswer | null;
  button: string;
  children: (fields: Fields<Schema>) => ReactNode;
}) {
  const navigation = useNavigation();
  const mine = answer?.intent === intent ? answer : null;
  const [form, fields] = useForm<z.input<Schema>, z.output<Schema>>({
    id: intent,
    lastResult: mine?.result ?? null,
    constraint: getZodConstraint(schema),
    onValidate: ({ formData }) => parseWithZod(formData, { schema }),
    shouldRevalidate: "onInput",
  });
  useFocusOnRefusal(form);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} className="flex max-w-104 flex-col gap-5">
      {form.errors && (
        <Notice tone="bad" id={form.errorId}>
          {form.errors[0]}
        </Notice>
      )}
      {mine?.done && <Notice tone="good">{mine.done}</Notice>}
      <input type="hidden" name="intent" value={intent} />
      {children(fields)}
      <Button
        type="submit"
        variant="secondary"
        className="self-start"
        busy={navigation.formData?.get("intent") === intent}
      >
        {button}
      </Button>
    </Form>
  );
}

type Fields<Schema extends z.ZodObject> = ReturnType<typeof useForm<z.input<Schema>, z.output<Schema>>>[1];
