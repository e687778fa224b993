import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import type { AccountInput } from "./account-input.ts";
import type { checkInput } from "./check-input.ts";

/** What the server answered to a form, as conform writes it. */
export type FormResult = {
  status?: "success" | "error" | undefined;
  /** Null: the form is done with and begins anew. */
  initialValue?: Record<string, unknown> | null | undefined;
  /** By field; what is said of the form as a whole stands under `WHOLE`. */
  error?: Record<string, string[] | null> | null | undefined;
};

export type CheckedField = { id: string; name: string; error: string[] | undefined; defaultValue: string | undefined };

type Errors = Record<string, string[] | null | undefined>;

const WHOLE = "";

/**
 * A form of the accounts. Sending it is checked here first, then typing is, in the words of the server. The check is
 * fetched with the first focus; should it not come, the server alone checks. `result` is the server's last answer.
 */
export function useCheckedForm(input: AccountInput, result: FormResult | null) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Errors>(result?.error ?? {});
  const [answered, setAnswered] = useState(result);
  const [wasSent, setWasSent] = useState(false);
  /** Another number is a form filled in anew. */
  const [round, setRound] = useState(0);
  if (answered !== result) {
    setAnswered(result);
    setErrors(result?.error ?? {});
    if (result?.status === "success" && result.initialValue === null) setRound(round + 1);
  }
  const isHydrated = useIsHydrated();
  const check = useCheck();
  const errorId = `${id}-error`;

  // A page that was drawn with it has its focus, and may be written in since.
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
