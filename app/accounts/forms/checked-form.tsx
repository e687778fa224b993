import type { ComponentProps } from "react";
import { ActionForm } from "#app/components/forms/action-form.tsx";
import type { AccountInput } from "./account-input.ts";
import { useBrowserCheck } from "./use-browser-check.ts";

/** An `ActionForm` that is also checked in the browser, with the schema `input`. */
export function CheckedForm({
  input,
  intent = "",
  result,
  className = "",
  ...rest
}: { input: AccountInput } & Omit<ComponentProps<typeof ActionForm>, "checked">) {
  const check = useBrowserCheck(input, result?.intent === intent ? result : null);
  return (
    <ActionForm {...rest} {...check} intent={intent} result={result} className={`flex flex-col gap-5 ${className}`} />
  );
}
