import { z } from "zod";
import { cleanName } from "#app/http/clean-text.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";
import { MAX_INT32 } from "#app/product.ts";

/** Fields that several staff forms share. Amounts arrive as decimals of the currency and become micro-units. */

export { onceKey, reason } from "#app/http/edits/recorded-form.server.ts";

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
/** Returns the texts of checkboxes as a form sends them. */
export function ticked(boxes: Record<string, boolean>): Record<string, string> {
  return Object.fromEntries(Object.entries(boxes).flatMap(([name, isOn]) => (isOn ? [[name, "on"]] : [])));
}
export const requiredText = (maxLength: number) =>
  z.string().trim().min(1, "Required").max(maxLength, `Use at most ${maxLength} characters`);
/** A name of a thing, in one line. */
export const requiredName = (maxLength: number) => z.string().transform(cleanName).pipe(requiredText(maxLength));

/** The id of a row, in a hidden field. */
export const rowId = z.string().transform(parseId).pipe(z.number("Reload the page and submit the form again"));
