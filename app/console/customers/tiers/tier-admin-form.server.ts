import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { LOSS_FIELD } from "#app/console/loss-field.tsx";
import { fieldSchemas } from "#app/console/resource/field-schemas.server.ts";
import { TIER_FIELDS } from "#app/console/resources/tiers.tsx";
import { count, requiredText } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { conflictForm, type FieldTexts, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { readOwnRates } from "#app/orders/prices/tier-terms.server.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import type { BelowCost } from "./below-cost.server.ts";
import { readRateLines } from "./rate-lines.ts";
import {
  changeOwnRates,
  changeTier,
  deleteTier,
  type OwnRate,
  readTier,
  readTierChange,
  type Tier,
} from "./tier-admin.server.ts";
import { DELETE_TIER, SET_RATES, TIER } from "./tier-intents.ts";

/** Services that a refusal names. */
const NAMED = 5;

const { name, percent } = fieldSchemas(TIER_FIELDS, {}).shape;
const tierInput = z.object({ name, percent: percent.optional() });
const ratesInput = z.object({ rates: requiredText(100_000), version: count });
const deletedInput = z.object({ version: count });

const NAME_TAKEN = "Another tier has this name";
const BELOW_COST = "Agree to it, or lower the discount";

/** Returns a tier as its form shows it. */
export function tierTexts({ name, kind, basisPoints }: Pick<Tier, "name" | "kind" | "basisPoints">): FieldTexts {
  return { name, ...(kind === "percent" && { percent: percentText(basisPoints).slice(0, -1) }) };
}

/** Handles the forms of a tier's page. Returns null for an unknown form or tier. */
export async function submitTierForm(
  db: Db,
  actor: Actor,
  tierId: number,
  form: FormData,
): Promise<FormOutcome | null> {
  const found = await readTier(db, tierId);
  if (!found) return null;
  switch (form.get("intent")) {
    case TIER:
      return submitTerms(db, actor, found.tier, form);
    case SET_RATES:
      return submitRates(db, actor, found.tier, form);
    case DELETE_TIER: {
      const parsed = parseForm(form, deletedInput);
      if (!parsed.ok) return null;
      const deleted = await deleteTier(db, actor, tierId, parsed.input.version);
      if (deleted.ok) {
        return { kind: "done", message: "Tier deleted. Its customers pay the usual prices.", to: "/admin/tiers" };
      }
      const message = "This tier was changed meanwhile. Look at what it is now, then delete it.";
      return { kind: "shown", status: 409, result: { intent: DELETE_TIER, ok: false, message } };
    }
    default:
      return null;
  }
}

async function submitTerms(db: Db, actor: Actor, tier: Tier, form: FormData): Promise<FormOutcome | null> {
  const parsed = parseForm(form, tierInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
  const { name, percent: basisPoints = tier.basisPoints } = parsed.input;
  const { version, at } = readEdit(form);
  const saved = await changeTier(db, actor, tier.id, { name, basisPoints }, version, { toLoss: form.has(LOSS_FIELD) });
  if (saved.ok) {
    return { kind: "done", message: saved.changed ? "Saved. Its customers' prices are up to date." : "No changes." };
  }
  switch (saved.reason) {
    case "stale": {
      const change = await readTierChange(db, tier.id, at);
      if (!change) return null;
      const current = { version: change.tier.version, texts: tierTexts(change.tier) };
      const result = conflictForm(form, current, tierTexts({ ...tier, name, basisPoints }), change);
      return { kind: "shown", status: 409, result };
    }
    case "below_cost": {
      const refused = parsed.refuse({ message: lossText(saved.losses), fieldErrors: { [LOSS_FIELD]: BELOW_COST } });
      return { kind: "shown", status: 400, result: withEdit(refused, form) };
    }
    case "name_taken": {
      const refused = parsed.refuse({ fieldErrors: { name: NAME_TAKEN } });
      return { kind: "shown", status: 409, result: withEdit(refused, form) };
    }
    default:
      return null;
  }
}

async function submitRates(db: Db, actor: Actor, tier: Tier, form: FormData): Promise<FormOutcome | null> {
  const parsed = parseForm(form, ratesInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const refuse = (status: number, refusal: Parameters<typeof parsed.refuse>[0]): FormOutcome => ({
    kind: "shown",
    status,
    result: parsed.refuse(refusal),
  });
  const lines = readRateLines(parsed.input.rates);
  if (!lines.ok) return refuse(400, { fieldErrors: { rates: lines.text } });
  const { version } = parsed.input;
  const saved = await changeOwnRates(db, actor, tier.id, lines.rates, version, { toLoss: form.has(LOSS_FIELD) });
  if (saved.ok) {
    const changed = `${saved.changed.toLocaleString("en-US")} ${saved.changed === 1 ? "rate" : "rates"} changed.`;
    return { kind: "done", message: saved.changed === 0 ? "No changes." : changed };
  }
  switch (saved.reason) {
    case "unknown_service":
      return refuse(409, {
        fieldErrors: { rates: `There is no service ${"serviceId" in saved ? saved.serviceId : ""}` },
      });
    case "below_cost":
      return refuse(400, {
        message: lossText(saved.losses),
        fieldErrors: { [LOSS_FIELD]: "Agree to it, or raise the rates" },
      });
    case "stale": {
      const by = (await readTierChange(db, tier.id, 0))?.changedBy[0] ?? "Someone else";
      const differing = await ratesText(db, tier.id, lines.rates);
      const message = `${by} changed this tier meanwhile. Nothing was saved. ${differing} Save yours again to set them on top.`;
      return refuse(409, { message });
    }
    default:
      return null;
  }
}

/** Says which of the typed rates differ from those that the tier has now, with both. */
async function ratesText(db: Db, tierId: number, typed: OwnRate[]): Promise<string> {
  const ids = typed.map(({ serviceId }) => serviceId);
  const stored = await readOwnRates(db, tierId, ids);
  const text = (rate: number | null) => (rate === null ? "the usual rate" : formatMoney(rate));
  const differing = typed.filter(({ serviceId, rate }) => (stored.get(serviceId) ?? null) !== rate);
  const named = differing.slice(0, NAMED).map(({ serviceId, rate }) => {
    return `${serviceId} has ${text(stored.get(serviceId) ?? null)}, and you entered ${text(rate)}`;
  });
  const more = differing.length > NAMED ? `; and ${(differing.length - NAMED).toLocaleString("en-US")} more` : "";
  return differing.length === 0 ? "It has the rates that you entered." : `Service ${named.join("; ")}${more}.`;
}

function lossText({ count, first }: BelowCost): string {
  const named = first
    .slice(0, NAMED)
    .map(({ id, rate, cost }) => `${id} at ${formatMoney(rate)}, which costs ${formatMoney(cost)}`)
    .join("; ");
  const more = count > NAMED ? `; and ${(count - NAMED).toLocaleString("en-US")} more` : "";
  const subject = count === 1 ? "One service sells" : `${count.toLocaleString("en-US")} services sell`;
  return `${subject} below cost then: ${named}${more}. Tick the box to agree to that.`;
}
