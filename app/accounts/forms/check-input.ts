import { type FormSchema, parseForm } from "#app/http/requests/read-form.ts";
import { ACCOUNT_INPUTS, type AccountInput } from "./account-input.ts";

/**
 * Returns the errors of a form by field, or null if there are none. Same check as on the server. Forms load this module
 * on first focus, because it imports zod.
 */
export function checkInput(input: AccountInput, form: FormData): Record<string, string> | null {
  const schema: FormSchema = ACCOUNT_INPUTS[input];
  const parsed = parseForm(form, schema);
  return parsed.ok ? null : (parsed.result.fieldErrors ?? {});
}
