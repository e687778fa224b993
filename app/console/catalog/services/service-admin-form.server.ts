import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { LOSS_FIELD } from "#app/console/loss-field.tsx";
import { checkbox, count, onceKey, optionalCount, requiredName, ticked } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { LINK_CHECKS, LINK_KINDS, ORDER_TYPES } from "#app/db/schema.server.ts";
import { conflictForm, type FieldTexts, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { linkKindOf } from "#app/orders/rules/links/service-links.ts";
import { decimal, parseDecimal } from "#app/orders/rules/money-text.ts";
import {
  brokenBounds,
  fieldOfBound,
  MAX_RATE,
  MOST_CHARACTERS,
  type Refusal,
  refusalSentence,
  refusalText,
} from "#app/orders/services/service-guard.ts";
import { changeService, createService, readServiceChange, type ServiceTerms } from "./service-admin.server.ts";

const REPEATED = "This form was already submitted. The service is in the list.";
/** The other refusals are conflicts with what is stored. */
const REFUSAL_STATUS: Partial<Record<Refusal | "repeated", number>> = { not_found: 404, below_cost: 400 };
const BELOW_COST = "Agree to it, or change the rate";

/** More digits than an amount has are a rate all the same, which the guard refuses. */
const rate = z
  .string()
  .transform((text) => (/^\d{10,}(\.\d{1,6})?$/.test(text.trim()) ? MAX_RATE + 1 : parseDecimal(text)))
  .pipe(z.number("Enter an amount like 12.50"));

/** The fields that a cell of the list has, too. */
export const SERVICE_FIELDS = {
  network: requiredName(MOST_CHARACTERS.network),
  category: requiredName(MOST_CHARACTERS.category),
  name: requiredName(MOST_CHARACTERS.name),
  rate,
};

const serviceInput = z
  .object({
    ...SERVICE_FIELDS,
    description: z.string().trim().max(MOST_CHARACTERS.description, "Use at most 2,000 characters"),
    type: z.enum(ORDER_TYPES),
    min: count,
    max: count,
    dripfeed: checkbox,
    refill: checkbox,
    refillDays: optionalCount,
    cancel: checkbox,
    enabled: checkbox,
    providerId: optionalCount,
    providerServiceId: z
      .string()
      .trim()
      .max(50)
      .transform((text) => text || null),
    position: count,
    linkKind: z.enum(["auto", ...LINK_KINDS]).optional(),
    linkCheck: z.enum(LINK_CHECKS).optional(),
  })
  .superRefine((terms, context) => {
    for (const bound of brokenBounds(terms)) {
      context.addIssue({ code: "custom", path: [fieldOfBound(bound)], message: refusalSentence(bound) });
    }
  });

/** Returns a service's terms as its form shows them. */
export function serviceTexts(terms: ServiceTerms): FieldTexts {
  const { providerId, providerServiceId, refillDays, dripfeed, refill, cancel, enabled } = terms;
  const { network, category, name, description, type, rate, min, max, position, linkKind, linkCheck } = terms;
  return {
    ...{ network, category, name, description, type },
    ...{ rate: decimal(rate, 2), min: String(min), max: String(max), position: String(position) },
    ...{ providerId: String(providerId ?? ""), providerServiceId: providerServiceId ?? "" },
    refillDays: String(refillDays ?? ""),
    ...(linkKind && { linkKind }),
    ...(linkCheck && { linkCheck }),
    ...ticked({ dripfeed, refill, cancel, enabled }),
  };
}

/** Handles the form of a service's page. A null `serviceId` creates a service; then a missing key throws 400. */
export async function submitServiceForm(
  db: Db,
  actor: Actor,
  serviceId: number | null,
  form: FormData,
): Promise<FormOutcome> {
  const parsed = parseForm(form, serviceInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
  const refused = (reason: Refusal | "repeated"): FormOutcome => {
    const fieldErrors = reason === "below_cost" ? { [LOSS_FIELD]: BELOW_COST } : undefined;
    const message = reason === "repeated" ? REPEATED : refusalText(reason);
    const result = withEdit(parsed.refuse({ message, fieldErrors }), form);
    return { kind: "shown", status: REFUSAL_STATUS[reason] ?? 409, result };
  };
  const { linkKind, ...rest } = parsed.input;
  const terms = { ...rest, linkKind: linkKind === "auto" ? linkKindOf(rest) : linkKind };
  if (serviceId === null) {
    const once = onceKey.safeParse(form.get("once"));
    if (!once.success) throw new Response(null, { status: 400 });
    const created = await createService(db, actor, terms, once.data);
    if (!created.ok) return refused(created.reason);
    return { kind: "done", message: "Service created.", to: `/admin/services/${created.serviceId}` };
  }
  const { version, at } = readEdit(form);
  const saved = await changeService(db, actor, serviceId, terms, version, { toLoss: form.has(LOSS_FIELD) });
  if (!saved.ok) {
    if (saved.reason !== "stale") return refused(saved.reason);
    const change = await readServiceChange(db, serviceId, at);
    const current = { version: change.service.version, texts: serviceTexts(change.service) };
    const result = conflictForm(form, current, serviceTexts({ ...change.service, ...terms }), change);
    return { kind: "shown", status: 409, result };
  }
  const message = saved.changed === 0 ? "No changes." : "Saved. The catalog and the API are up to date.";
  return { kind: "done", message };
}
