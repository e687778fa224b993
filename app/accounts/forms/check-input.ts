import { type FormSchema, parseForm } from "#app/http/requests/read-form.ts";
import { ACCOUNT_INPUTS, type AccountInput } from "./account-input.ts";

/**
 * What is wrong with what a form holds, by field: null when nothing is. The same check as the server's. Forms fetch it
 * when somebody begins to fill them in, because it brings zod along.
 */
export function checkInput(input: AccountInput, form: FormData): Record<string, string[] | null> | null {
  const schema: FormSchema = ACCOUNT_INPUTS[input];
  const submission = parseForm(form, schema);
  return submission.status === "success" ? null : (submission.error ?? {});
}
