import { z } from "zod";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { count, money } from "#app/console/staff-fields.server.ts";
import { type Actor, changedSince } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { conflictForm, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import {
  ALL_CATEGORIES,
  MAX_MARGIN,
  MAX_MINIMUM,
  MAX_ROUND_TO,
  type PriceRule,
} from "#app/orders/providers/price-rule.ts";
import { parsePercent } from "#app/orders/rules/margin.ts";
import { addRule, changeRule, readRule, removeRule, ruleTexts } from "./price-rules.server.ts";
import { ADD_RULE, CHANGE_RULE, REMOVE_RULE } from "./price-rules-card.tsx";

const ruleFields = {
  margin: z
    .string()
    .transform(parsePercent)
    .pipe(z.number("Enter a percentage like 35 or 12.5"))
    .refine((margin) => margin >= 0 && margin <= MAX_MARGIN, `Enter 0 to ${MAX_MARGIN / 100} percent`),
  roundTo: money.refine((step) => step >= 1 && step <= MAX_ROUND_TO, "Enter an amount from 0.000001 to 1,000"),
  minimum: money.refine((least) => least <= MAX_MINIMUM, "Enter at most 1,000,000"),
};
const newCategory = z.string().transform(cleanName).pipe(z.string().max(200, "Use at most 200 characters"));
const newRule = z.object({ category: newCategory, ...ruleFields });
/** As it is stored: cleaned, it could be another rule's. */
const storedCategory = z.string();
const changedRule = z.object({ category: storedCategory, ...ruleFields });
const removedRule = z.object({ category: storedCategory, version: count });

const TAKEN = "This category has a rule. Change it above.";
const REMOVED = "Someone else removed this rule meanwhile. Nothing was saved.";
const CHANGED = "This rule was changed meanwhile. What it is now stands above; remove it again if you want to.";

/** Handles the forms of a provider's price rules. Returns null for an unknown form. */
export async function submitRuleForm(
  db: Db,
  actor: Actor,
  providerId: number,
  form: FormData,
): Promise<FormOutcome | null> {
  switch (form.get("intent")) {
    case ADD_RULE: {
      const parsed = parseForm(form, newRule);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const added = await addRule(db, actor, providerId, parsed.input);
      const message = parsed.input.category === ALL_CATEGORIES ? "Rule added. Preview the catalog." : "Rule added.";
      if (added.ok) return { kind: "done", message };
      return { kind: "shown", status: 409, result: parsed.refuse({ fieldErrors: { category: TAKEN } }) };
    }
    case CHANGE_RULE: {
      const parsed = parseForm(form, changedRule);
      if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
      const rule = parsed.input;
      const changed = await changeRule(db, actor, providerId, rule, readEdit(form).version);
      if (changed.ok) return { kind: "done", message: "Rule saved. The preview shows what it changes." };
      return { kind: "shown", status: 409, result: await ruleConflict(db, providerId, rule, form) };
    }
    case REMOVE_RULE: {
      const parsed = parseForm(form, removedRule);
      if (!parsed.ok) return null;
      const removed = await removeRule(db, actor, providerId, parsed.input);
      if (!removed.ok)
        return { kind: "shown", status: 409, result: { intent: REMOVE_RULE, ok: false, message: CHANGED } };
      return { kind: "done", message: "Rule removed." };
    }
    default:
      return null;
  }
}

async function ruleConflict(db: Db, providerId: number, rule: PriceRule, form: FormData): Promise<FormResult> {
  const [current, changed] = await Promise.all([
    readRule(db, providerId, rule.category),
    changedSince(db, "provider", providerId, readEdit(form).at),
  ]);
  const { category } = rule;
  if (!current) return { intent: CHANGE_RULE, ok: false, message: REMOVED, values: { category } };
  const conflict = conflictForm(
    form,
    { version: current.version, texts: ruleTexts(current) },
    ruleTexts(rule),
    changed,
  );
  // Which of the page's forms this is.
  return { ...conflict, values: { ...conflict.values, category } };
}
