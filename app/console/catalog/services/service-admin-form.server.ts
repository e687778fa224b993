import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import {
  checkbox,
  count,
  money,
  onceKey,
  optionalCount,
  requiredName,
  ticked,
} from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { LINK_CHECKS, LINK_KINDS, MAX_REFILL_DAYS, ORDER_TYPES } from "#app/db/schema.server.ts";
import { conflictForm, type FieldTexts, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { linkKindOf } from "#app/orders/rules/links/service-links.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { LOSS_FIELD } from "./loss-field.tsx";
import {
  changeService,
  createService,
  readServiceChange,
  type ServiceRefusal,
  type ServiceTerms,
} from "./service-admin.server.ts";

const SERVICE_TEXTS: Record<Exclude<ServiceRefusal, "stale">, string> = {
  not_found: "Service not found.",
  provider_service_taken: "Another service already uses this provider service.",
  unknown_provider: "Provider not found.",
  repeated: "This form was already submitted. The service is in the list.",
  blocked: "Its provider changed this service, and that waits for your decision in quarantine. Decide it there first.",
  below_cost: "At this rate, it sells below cost. Tick the box below the rate to agree to that, or change the rate.",
};

/** The other refusals are conflicts with what is stored. */
const REFUSAL_STATUS: Partial<Record<ServiceRefusal, number>> = { not_found: 404, below_cost: 400 };
const BELOW_COST = "Agree to it, or change the rate";

const serviceInput = z
  .object({
    network: requiredName(60),
    category: requiredName(200),
    name: requiredName(300),
    description: z.string().trim().max(2000, "Use at most 2,000 characters"),
    type: z.enum(ORDER_TYPES),
    rate: money,
    min: count.refine((min) => min >= 1, "Enter at least 1"),
    max: count,
    dripfeed: checkbox,
    refill: checkbox,
    refillDays: optionalCount.refine(
      (days) => days === null || (days >= 1 && days <= MAX_REFILL_DAYS),
      `Enter 1 to ${MAX_REFILL_DAYS} days, or leave it empty`,
    ),
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
  .refine(({ min, max }) => max >= min, { path: ["max"], error: "Must be at least the minimum" })
  .refine(({ providerId, providerServiceId }) => (providerId === null) === (providerServiceId === null), {
    path: ["providerServiceId"],
    error: "Choose a provider and enter its service ID, or leave both empty",
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
  const refused = (reason: keyof typeof SERVICE_TEXTS): FormOutcome => {
    const fieldErrors = reason === "below_cost" ? { [LOSS_FIELD]: BELOW_COST } : undefined;
    const result = withEdit(parsed.refuse({ message: SERVICE_TEXTS[reason], fieldErrors }), form);
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
