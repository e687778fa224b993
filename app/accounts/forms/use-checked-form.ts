import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import type { AccountInput } from "./account-input.ts";
import type { checkInput } from "./check-input.ts";

/** The server's reply to a form, in the shape of conform. */
export type FormResult = {
  status?: "success" | "error" | undefined;
  /** Null resets the form. */
  initialValue?: Record<string, unknown> | null | undefined;
  /** By field. Errors of the form as a whole are under `WHOLE`. */
  error?: Record<string, string[] | null> | null | undefined;
};

export type CheckedField = { id: string; name: string; error: string[] | undefined; defaultValue: string | undefined };

type Errors = Record<string, string[] | null | undefined>;

const WHOLE = "";

/**
 * Checks a form in the browser: on submit, and after that on every input. The check is loaded on first focus; if that
 * fails, only the server checks. `result` is the server's last reply.
 */
export function useCheckedForm(input: AccountInput, result: FormResult | null) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Errors>(result?.error ?? {});
  const [answered, setAnswered] = useState(result);
  const [wasSent, setWasSent] = useState(false);
  /** A new number resets the form. */
  const [round, setRound] = useState(0);
  if (answered !== result) {
    setAnswered(result);
    setErrors(result?.error ?? {});
    if (result?.status === "success" && result.initialValue === null) setRound(round + 1);
  }
  const isHydrated = useIsHydrated();
  const check = useCheck();
  const errorId = `${id}-error`;

  // A page rendered with this result has set the focus already.
  const drawnWith = useRef(result);
  useEffect(() => {
    if (!result?.error || result === drawnWith.current) return;
    if (result.error[WHOLE]) document.getElementById(errorId)?.focus();
    else if (form.current) focusFirst(form.current, result.error);
  }, [result, errorId]);

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    setWasSent(true);
    const sent = event.currentTarget;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const { run, isUnderWay } = check.state();
    if (isUnderWay) {
      event.preventDefault();
      check.load().then(() => sent.requestSubmit(submitter));
      return;
    }
    const found = run?.(input, new FormData(sent)) ?? null;
    if (found === null) return;
    event.preventDefault();
    setErrors(found);
    focusFirst(sent, found);
  }

  function onInput(event: FormEvent<HTMLFormElement>): void {
    const { name } = event.target as HTMLInputElement;
    if (!wasSent && !errors[name]) return;
    const found = check.state().run?.(input, new FormData(event.currentTarget));
    setErrors((before) => ({ ...before, [name]: found?.[name] }));
  }

  return {
    formProps: {
      ref: form,
      onSubmit,
      onInput,
      onFocus: check.load,
      // Until then the browser checks what it knows of, as it does where scripts do not run.
      noValidate: isHydrated,
      "aria-describedby": errors[WHOLE] ? errorId : undefined,
    },
    round,
    error: errors[WHOLE]?.[0],
    errorId,
    field: (name: string): CheckedField => ({
      id: `${id}-${name}`,
      name,
      error: errors[name] ?? undefined,
      defaultValue: result?.initialValue?.[name] as string | undefined,
    }),
  };
}

function useCheck() {
  const run = useRef<typeof checkInput | null>(null);
  const loading = useRef<Promise<void> | null>(null);
  const over = useRef(false);
  function load(): Promise<void> {
    loading.current ??= import("./check-input.ts")
      .then(
        (loaded) => {
          run.current = loaded.checkInput;
        },
        () => {},
      )
      .then(() => {
        over.current = true;
      });
    return loading.current;
  }
  return { load, state: () => ({ run: run.current, isUnderWay: !over.current }) };
}

function focusFirst(form: HTMLFormElement, errors: Errors): void {
  const controls = [...form.elements] as HTMLInputElement[];
  controls.find(({ name }) => name !== "" && errors[name])?.focus();
}
