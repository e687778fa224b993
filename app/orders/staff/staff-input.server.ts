import { z } from "zod";
import { ORDER_STATUSES, ORDER_TYPES } from "#app/db/schema.server.ts";
import { type FormSchema, onlyFields } from "#app/http/requests/read-form.ts";
import { parseDecimal } from "#app/orders/rules/money.ts";
import { MAX_CODES_PER_BATCH } from "#app/orders/top-up/code-batches.server.ts";
import type { StaffFormResult } from "./staff-form.tsx";

/** What the console's forms send. Amounts come as decimals of the currency and are micro-units afterwards. */

const MAX_INT32 = 2_147_483_647;
const DAY_MS = 24 * 60 * 60 * 1000;

const reason = z.string().trim().min(3, "Give a reason of at least three characters").max(300);
const count = z
  .string()
  .trim()
  .regex(/^\d{1,10}$/, "Give a whole number")
  .transform(Number)
  .pipe(z.number().max(MAX_INT32, "This number is too large"));
const optionalCount = z
  .string()
  .optional()
  .transform((text) => text?.trim() || null)
  .pipe(count.nullable());
const money = z.string().transform(parseDecimal).pipe(z.number("Give an amount such as 12.50"));
const positiveMoney = money.refine((amount) => amount > 0, "Give an amount above 0");
const checked = z
  .string()
  .optional()
  .transform((given) => given !== undefined);
const named = (most: number) => z.string().trim().min(1, "Fill this in").max(most, `Use at most ${most} characters`);

export const onceKey = z.uuid("Load the page again and send the form anew");

export const statusInput = z.object({
  status: z.enum(ORDER_STATUSES),
  remains: count,
  startCount: optionalCount,
  reason,
});

export const refundInput = z.object({ amount: positiveMoney, reason });

export const resolveInput = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("accepted"),
    providerOrderId: z.string().trim().min(1, "Give the id that the order has there").max(64),
    reason,
  }),
  z.object({ outcome: z.literal("refused"), reason }),
  z.object({ outcome: z.literal("again"), reason }),
]);

export const refillInput = z.object({
  refill: count,
  status: z.enum(["In progress", "Completed", "Rejected"]),
  reason,
});

export const cancelInput = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("accept"), remains: count, reason }),
  z.object({ decision: z.literal("reject"), reason }),
]);

export const serviceInput = z
  .object({
    network: named(60),
    category: named(200),
    name: named(300),
    description: z.string().trim().max(2000, "Use at most 2,000 characters"),
    type: z.enum(ORDER_TYPES),
    rate: money,
    min: count.refine((min) => min >= 1, "At least 1"),
    max: count,
    dripfeed: checked,
    refill: checked,
    cancel: checked,
    enabled: checked,
    providerId: optionalCount,
    providerServiceId: z
      .string()
      .trim()
      .max(50)
      .transform((text) => text || null),
    position: count,
  })
  .refine(({ min, max }) => max >= min, { path: ["max"], error: "Not below the minimum" })
  .refine(({ providerId, providerServiceId }) => (providerId === null) === (providerServiceId === null), {
    path: ["providerServiceId"],
    error: "A provider and its service id go together: give both or neither",
  });

export const providerInput = z.object({
  name: named(60),
  apiUrl: z.url("Give the address of its API, beginning with https://").max(300),
  key: z.string().trim().max(300),
  enabled: checked,
  markupPercent: optionalCount.refine((percent) => percent === null || percent <= 1000, "At most 1,000 percent"),
});

export const markupInput = z.object({
  markup: count.refine((percent) => percent <= 1000, "At most 1,000 percent"),
  digest: z.string().max(64).optional(),
});

export const adjustmentInput = z.object({
  direction: z.enum(["topup", "credit", "debit"]),
  amount: positiveMoney,
  reason,
  once: onceKey,
});

export const paymentInput = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("accept"), amount: positiveMoney, reason, once: onceKey }),
  z.object({ intent: z.literal("refuse"), reason, once: onceKey }),
]);

export const codesInput = z.object({
  name: named(100),
  amount: positiveMoney,
  count: count.refine((n) => n >= 1 && n <= MAX_CODES_PER_BATCH, `From 1 to ${MAX_CODES_PER_BATCH}`),
  maxUses: count.refine((n) => n >= 1 && n <= 100_000, "From 1 to 100,000"),
  // A day of the calendar; the codes work through it, in UTC.
  expires: z
    .union([z.literal(""), z.iso.date("Give a day")])
    .transform((day) => (day === "" ? null : Date.parse(day) + DAY_MS))
    .refine((at) => at === null || at > Date.now(), "This day is over"),
  once: onceKey,
});

/** The parsed form, or the answer that shows what was wrong beside each field. */
export function parseStaffForm<Output>(
  schema: FormSchema<Output>,
  intent: string,
  form: FormData,
): { ok: true; input: Output } | { ok: false; answer: NonNullable<StaffFormResult> } {
  const parsed = schema.safeParse(textsOf(onlyFields(form, schema)));
  if (parsed.success) return { ok: true, input: parsed.data };
  const fields: Record<string, string> = {};
  for (const issue of parsed.error.issues) fields[String(issue.path[0] ?? "")] ??= issue.message;
  const general = fields.once ?? fields[""];
  return { ok: false, answer: { intent, fields, values: textsOf(form), error: general } };
}

/** What was typed, for the form to show again. A provider's key is not sent back. */
export function textsOf(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}
