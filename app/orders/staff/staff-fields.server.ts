import { z } from "zod";
import { type FormSchema, onlyFields } from "#app/http/requests/read-form.ts";
import { parseDecimal } from "#app/orders/rules/money.ts";
import type { StaffFormResult } from "./staff-form.tsx";

/** Fields that several staff forms share. Amounts arrive as decimals of the currency and become micro-units. */

const MAX_INT32 = 2_147_483_647;

export const reason = z.string().trim().min(3, "Enter a reason of at least 3 characters").max(300);
export const count = z
  .string()
  .trim()
  .regex(/^\d{1,10}$/, "Enter a whole number")
  .transform(Number)
  .pipe(z.number().max(MAX_INT32, "This number is too large"));
export const optionalCount = z
  .string()
  .optional()
  .transform((text) => text?.trim() || null)
  .pipe(count.nullable());
export const money = z.string().transform(parseDecimal).pipe(z.number("Enter an amount like 12.50"));
export const positiveMoney = money.refine((amount) => amount > 0, "Enter an amount above 0");
export const checkbox = z
  .string()
  .optional()
  .transform((value) => value !== undefined);
export const requiredText = (maxLength: number) =>
  z.string().trim().min(1, "Required").max(maxLength, `Use at most ${maxLength} characters`);

/** The key that makes a form take effect once, however often it is sent. */
export const onceKey = z.uuid("Reload the page and submit the form again");

/** Parses a staff form, or returns the result that shows what is wrong beside each field. */
export function parseStaffForm<Output>(
  schema: FormSchema<Output>,
  intent: string,
  form: FormData,
): { ok: true; input: Output } | { ok: false; result: NonNullable<StaffFormResult> } {
  const parsed = schema.safeParse(textsOf(onlyFields(form, schema)));
  if (parsed.success) return { ok: true, input: parsed.data };
  const fields: Record<string, string> = {};
  for (const issue of parsed.error.issues) fields[String(issue.path[0] ?? "")] ??= issue.message;
  const general = fields.once ?? fields[""];
  return { ok: false, result: { intent, fields, values: textsOf(form), error: general } };
}

/** Returns the typed texts, for the form to show again. Callers remove a provider's key from them. */
export function textsOf(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}
