import { Form } from "@remix-run/react";
import {
  type ComponentPropsWithoutRef,
  createContext,
  Fragment,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { Button, type ButtonProps } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { ownValue } from "#app/own-value.ts";
import type { FormResult } from "./form-result.ts";
import { useFormDraft } from "./use-draft.ts";
import { type Sender, useIsSubmitting } from "./use-is-submitting.ts";
import { useResultToast } from "./use-result-toast.ts";

export type FieldErrors = Record<string, string | undefined>;

const FormState = createContext<{
  prefix: string;
  errors: FieldErrors;
  values: Record<string, string> | undefined;
  isBusy: boolean;
} | null>(null);

/**
 * A form that posts to an action, with or without scripts. It shows the action's result: the message above the fields
 * (a success of a fetcher as a toast), errors beside their fields. Focus moves to the first error.
 */
export function ActionForm({
  intent = "",
  action,
  id,
  result,
  sender,
  hidden = {},
  checked,
  readFields = () => {},
  draftKey = null,
  asksIdentity = false,
  preventScrollReset = intent !== "",
  className = "flex flex-col gap-4",
  children,
  ...rest
}: {
  /** Identifies the form on a page with several. */
  intent?: string;
  action?: string | undefined;
  /** The prefix of field ids. Needed if a page has several forms with the same intent. */
  id?: string;
  result: FormResult | null | undefined;
  sender?: Sender;
  hidden?: Record<string, string | number>;
  /** Replaces the errors of the result, for a form that is also checked in the browser. */
  checked?: { message: string | undefined; fieldErrors: FieldErrors };
  /** Called once, after hydration, for fields that the form mirrors in its state. */
  readFields?: (fields: FormData) => void;
  /** Keeps what is typed in this tab, see `useFormDraft`. */
  draftKey?: string | null;
  /** The route asks for a recent proof of who the person is: a dialog asks before the form is sent. */
  asksIdentity?: boolean;
  preventScrollReset?: boolean;
  children?: ReactNode;
} & Pick<ComponentPropsWithoutRef<"form">, "className" | "noValidate" | "onSubmit" | "onInput" | "onFocus">) {
  const ownId = useId();
  const prefix = id ?? (intent || ownId);
  const own = result?.intent === intent ? result : null;
  const errors = checked?.fieldErrors ?? own?.fieldErrors ?? {};
  const hiddenError = Object.keys(hidden).flatMap((name) => ownValue(errors, name) ?? [])[0];
  const message = (checked ?? own)?.message ?? hiddenError;
  const { ref: form } = useFormDraft(draftKey);
  const messageId = `${prefix}-message`;
  const isBusy = useIsSubmitting(intent, { fields: hidden, action, sender });
  useFieldsAtHydration(form, readFields);
  useResultToast(sender?.data && own?.ok ? own : null);
  const round = useRound(own);

  // If the page was rendered with this result, autofocus has already moved the focus.
  const renderedWith = useRef(own);
  useEffect(() => {
    if (!own || own.ok || own === renderedWith.current) return;
    renderedWith.current = null;
    const notice = document.getElementById(messageId);
    if (notice) notice.focus();
    else if (form.current) focusFirstError(form.current, own.fieldErrors ?? {});
  }, [own, messageId, form]);

  const Tag = sender?.Form ?? Form;
  return (
    <Tag
      {...rest}
      ref={form}
      method="post"
      action={action}
      preventScrollReset={preventScrollReset}
      data-asks-identity={asksIdentity || undefined}
      aria-describedby={message && !own?.ok ? messageId : undefined}
      className={className}
    >
      {intent && <input type="hidden" name="intent" value={intent} />}
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {message && !(own?.ok && sender?.data) && (
        <Notice tone={own?.ok ? "good" : "bad"} id={messageId}>
          {message}
        </Notice>
      )}
      <FormState.Provider value={{ prefix, errors, values: own?.values, isBusy }}>
        <Fragment key={round}>{children}</Fragment>
      </FormState.Provider>
    </Tag>
  );
}

/** Returns a number that increases with each success without values. As a key, it resets the fields. */
function useRound(result: FormResult | null): number {
  const [seen, setSeen] = useState(result);
  const [round, setRound] = useState(0);
  if (seen !== result) {
    setSeen(result);
    if (result?.ok && !result.values) setRound(round + 1);
  }
  return round;
}

export function focusFirstError(form: HTMLFormElement, errors: FieldErrors): void {
  const controls = [...form.elements] as HTMLInputElement[];
  controls.find(({ name }) => name !== "" && ownValue(errors, name))?.focus();
}

export function useFormState() {
  const state = useContext(FormState);
  if (!state) throw new Error("This component has to be inside an ActionForm.");
  return state;
}

export function SubmitButton(props: Omit<ButtonProps, "type" | "busy">) {
  return <Button {...props} type="submit" busy={useFormState().isBusy} />;
}
