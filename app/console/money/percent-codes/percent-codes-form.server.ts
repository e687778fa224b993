import { z } from "zod";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { count, money, onceKey, requiredName, rowId } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { MAX_DISCOUNT } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { normalizedCode } from "#app/orders/prices/code-digest.server.ts";
import { parsePercent } from "#app/orders/rules/margin.ts";
import { createPercentCode, disablePercentCode, MIN_CODE_CHARACTERS } from "./percent-code-admin.server.ts";
import { CREATE_PERCENT_CODE, DISABLE_PERCENT_CODE } from "./percent-code-intents.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_USES = 1_000_000;

/** A day in UTC, as the ms of its beginning. */
const day = z
  .union([z.literal(""), z.iso.date("Enter a date")])
  .transform((text) => (text === "" ? null : Date.parse(text)));
const optionalMoney = z.union([z.literal("").transform(() => null), money]);
const uses = count.refine((n) => n >= 1 && n <= MAX_USES, "Enter 1 to 1,000,000");

const codeInput = z
  .object({
    name: requiredName(60),
    code: z
      .string()
      .trim()
      .max(40, "Use at most 40 characters")
      .refine(
        (text) => text === "" || /^[0-9A-Z]+$/.test(normalizedCode(text)),
        "Use letters, digits, hyphens and spaces only",
      )
      .refine(
        (text) => text === "" || normalizedCode(text).length >= MIN_CODE_CHARACTERS,
        `Use at least ${MIN_CODE_CHARACTERS} letters and digits`,
      ),
    percent: z
      .string()
      .transform(parsePercent)
      .pipe(z.number("Enter a percentage like 10 or 12.5"))
      .refine((parts) => parts >= 1 && parts <= MAX_DISCOUNT, `Enter 0.01 to ${MAX_DISCOUNT / 100} percent`),
    maxDiscount: optionalMoney.refine((amount) => amount === null || amount > 0, "Enter an amount above 0"),
    minCharge: optionalMoney,
    uses,
    perCustomer: uses,
    starts: day,
    ends: day,
    network: z.string().transform(cleanName).pipe(z.string().max(60, "Use at most 60 characters")),
    once: onceKey,
  })
  .refine(({ starts, ends }) => ends === null || ends + DAY_MS > Math.max(starts ?? 0, Date.now()), {
    path: ["ends"],
    error: "This day is in the past, or before the first",
  });
const disabledInput = z.object({ code: rowId });

const REFUSALS = {
  taken: "There is such a code already. Take another one.",
  repeated: "This form was already submitted. Its code was created and can't be shown again.",
};

export type CreatedPercentCode = { code: string; name: string };
type Outcome = { status: 200 | 400 | 409; result: FormResult | null; created: CreatedPercentCode | null };

/** Handles the forms of the percent codes' page. Returns null for an unknown form. */
export async function submitPercentCodes(db: Db, actor: Actor, form: FormData): Promise<Outcome | null> {
  if (form.get("intent") === DISABLE_PERCENT_CODE) {
    const parsed = parseForm(form, disabledInput);
    if (!parsed.ok) return null;
    await disablePercentCode(db, actor, parsed.input.code);
    return {
      status: 200,
      result: { intent: DISABLE_PERCENT_CODE, ok: true, message: "Code disabled." },
      created: null,
    };
  }
  if (form.get("intent") !== CREATE_PERCENT_CODE) return null;
  const parsed = parseForm(form, codeInput);
  if (!parsed.ok) return { status: 400, result: parsed.result, created: null };
  const { once, percent: basisPoints, minCharge, starts, ends, network, code, ...terms } = parsed.input;
  const created = await createPercentCode(
    db,
    actor,
    {
      ...terms,
      basisPoints,
      code: code === "" ? null : code,
      minCharge: minCharge ?? 0,
      startsAt: starts ?? Date.now(),
      // The last day counts.
      endsAt: ends === null ? null : ends + DAY_MS,
      network: network === "" ? null : network,
    },
    once,
  );
  if (created.ok) return { status: 200, result: null, created: { code: created.code, name: terms.name } };
  const refusal =
    created.reason === "taken" ? { fieldErrors: { code: REFUSALS.taken } } : { message: REFUSALS.repeated };
  return { status: 409, result: parsed.refuse(refusal), created: null };
}
