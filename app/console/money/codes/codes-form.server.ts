import { z } from "zod";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { count, onceKey, positiveMoney, requiredName } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { createCodes, MAX_CODES_PER_BATCH } from "#app/orders/top-up/code-batches.server.ts";
import { DAY_MS } from "#app/time.ts";
import type { CreatedCodes } from "./new-codes.tsx";

const codesInput = z.object({
  name: requiredName(100),
  amount: positiveMoney,
  count: count.refine((n) => n >= 1 && n <= MAX_CODES_PER_BATCH, `Enter 1 to ${MAX_CODES_PER_BATCH}`),
  maxUses: count.refine((n) => n >= 1 && n <= 100_000, "Enter 1 to 100,000"),
  // The last day on which the codes work, in UTC.
  expires: z
    .union([z.literal(""), z.iso.date("Enter a date")])
    .transform((day) => (day === "" ? null : Date.parse(day) + DAY_MS))
    .refine((at) => at === null || at > Date.now(), "This date is in the past"),
  once: onceKey,
});

/** Handles the form that creates codes. */
export async function submitCodesForm(
  db: Db,
  actor: Actor,
  form: FormData,
): Promise<{ status: 200 | 400 | 409; result: FormResult | null; created: CreatedCodes | null }> {
  const parsed = parseForm(form, codesInput);
  if (!parsed.ok) return { status: 400, result: parsed.result, created: null };
  const { once, expires: expiresAt, name, amount, count, maxUses } = parsed.input;
  const created = await createCodes(db, actor, { name, amount, count, maxUses, expiresAt }, once);
  if (!created) {
    const message = "This form was already submitted. Its codes were created and can't be shown again.";
    return { status: 409, result: { intent: "codes", ok: false, message }, created: null };
  }
  return { status: 200, result: null, created: { ...created, name, amount } };
}
