import { type FormEvent, useRef, useState } from "react";
import { type FieldErrors, focusFirstError } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { ownValue } from "#app/own-value.ts";
import type { AccountInput } from "./account-input.ts";
import type { checkInput } from "./check-input.ts";

/**
 * Checks a form in the browser: on submit, and after that on every input. The check is loaded on first focus; if that
 * fails, only the server checks. `result` is the server's last reply.
 */
export function useBrowserCheck(input: AccountInput, result: FormResult | null) {
  const [errors, setErrors] = useState<FieldErrors>(result?.fieldErrors ?? {});
  const [message, setMessage] = useState(result?.message);
  const [seen, setSeen] = useState(result);
  const [wasSent, setWasSent] = useState(false);
  if (seen !== result) {
    setSeen(result);
    setErrors(result?.fieldErrors ?? {});
    setMessage(result?.message);
  }
  const isHydrated = useIsHydrated();
  const check = useCheck();

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    setWasSent(true);
    const sent = event.currentTarget;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const { run, isLoading } = check.state();
    if (isLoading) {
      event.preventDefault();
      void check.load().then(() => sent.requestSubmit(submitter));
      return;
    }
    const found = run?.(input, new FormData(sent)) ?? null;
    if (found === null) return;
    event.preventDefault();
    setErrors(found);
    setMessage(undefined);
    focusFirstError(sent, found);
  }

  function onInput(event: FormEvent<HTMLFormElement>): void {
    const { name } = event.target as HTMLInputElement;
    if (!wasSent && !ownValue(errors, name)) return;
    const found = check.state().run?.(input, new FormData(event.currentTarget));
    setErrors((before) => ({ ...before, [name]: ownValue(found, name) }));
  }

  return {
    checked: { message, fieldErrors: errors },
    onSubmit,
    onInput,
    onFocus: check.load,
    // Before hydration, and without scripts, the browser's own checks apply.
    noValidate: isHydrated,
  };
}

function useCheck() {
  const run = useRef<typeof checkInput | null>(null);
  const loading = useRef<Promise<void> | null>(null);
  const isDone = useRef(false);
  function load(): Promise<void> {
    loading.current ??= import("./check-input.ts")
      .then(
        (loaded) => {
          run.current = loaded.checkInput;
        },
        () => {},
      )
      .then(() => {
        isDone.current = true;
      });
    return loading.current;
  }
  return { load, state: () => ({ run: run.current, isLoading: !isDone.current }) };
}
