import { and, eq } from "drizzle-orm";
import { planWords } from "#app/console/audit/audit-fields.ts";
import { loggedFields } from "#app/console/audit/logged-fields.server.ts";
import { addRule, changeRule, type RuleRefusal, removeRule } from "#app/console/catalog/imports/price-rules.server.ts";
import {
  changeProvider,
  type ProviderInput,
  type ProviderRefusal,
} from "#app/console/catalog/services/provider-admin.server.ts";
import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { priceRules, providers } from "#app/db/schema.server.ts";
import {
  compareFields,
  neverUndone,
  onlyPlanned,
  type PreparedUndo,
  preparedUndo,
  type Undone,
} from "#app/http/edits/undo-plan.ts";
import { ALL_CATEGORIES, type PriceRule } from "#app/orders/providers/price-rule.ts";
import type { FulfillmentEnv } from "#app/orders/providers/provider-link.server.ts";

const REFUSALS: Record<ProviderRefusal, string> = {
  not_found: "This provider is gone.",
  name_taken: "Another provider has this name by now.",
  bad_address: "The URL isn't public.",
  key_needed: "A new URL needs its key. Change it on the provider's page.",
  repeated: "Someone else undid this meanwhile.",
  stale: "Someone else changed this provider meanwhile. Nothing was undone.",
};

/** Undoes a change of a provider's settings. Keys and URLs stay: a replaced key isn't kept, and a new URL needs one. */
export async function undoProviderChange(db: Db, env: FulfillmentEnv, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const providerId = Number(entry.subjectId);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId)).limit(1);
  if (!provider) return neverUndone("The provider is gone.");
  const { key, apiUrl, ...detail } = entry.detail;
  const { name, enabled, riseLimit, concurrentCalls, callsPerMinute, honorsIdempotencyKeys, splitsComments, version } =
    provider;
  const settings = { enabled, riseLimit, concurrentCalls, callsPerMinute, honorsIdempotencyKeys, splitsComments };
  const { back, changes, left } = compareFields(
    detail,
    { provider: name, ...settings },
    planWords(loggedFields(entry.action)),
  );
  if (key !== undefined) left.push({ label: "key", why: "a replaced key isn't kept. Enter it on the provider's page" });
  if (apiUrl !== undefined) {
    left.push({ label: "API URL", why: "another URL needs its key. Change both on the provider's page" });
  }
  const { provider: oldName = name, ...rest } = back;
  const input = { ...settings, ...rest, name: oldName, apiUrl: provider.apiUrl, key: "" } as ProviderInput;
  return preparedUndo({ changes, left, version }, async (by: Actor) => {
    const changed = await changeProvider(db, env, by, providerId, input, version);
    return changed.ok ? { ok: true } : { ok: false, message: REFUSALS[changed.reason] };
  });
}

const RULE_FIELDS = ["margin", "roundTo", "minimum"] as const;
const CHANGED_RULE: Record<RuleRefusal, string> = {
  changed_meanwhile: "Someone else changed this rule meanwhile. Nothing was undone.",
  category_taken: "This category has a rule again. Change that one.",
};

/** Undoes an added, changed or removed price rule. */
export async function undoPriceRule(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const providerId = Number(entry.subjectId);
  const { category } = entry.detail;
  if (typeof category !== "string") return neverUndone("The entry names no category.");
  const [rule] = await db
    .select()
    .from(priceRules)
    .where(and(eq(priceRules.providerId, providerId), eq(priceRules.category, category)));
  const words = planWords(loggedFields(entry.action));
  const label = `rule for ${category === ALL_CATEGORIES ? "all categories" : `“${category}”`}`;
  const inWords = (of: PriceRule) =>
    RULE_FIELDS.map((name) => `${words.label(name)} ${words.text(name, of[name])}`).join(", ");
  const known = knownRule(category, entry.detail);
  if (entry.action === "price_rule.remove") {
    if (known === null) return neverUndone("The entry doesn't say what the rule was.");
    const left = rule ? [{ label, why: `there is one again: ${inWords(rule)}` }] : [];
    const changes = rule ? [] : [{ label, now: "none", to: inWords(known) }];
    return preparedUndo({ changes, left, version: 0 }, async (by: Actor) =>
      saved(await addRule(db, by, providerId, known)),
    );
  }
  if (!rule) return onlyPlanned({ kind: "nothing", left: [{ label, why: "it was removed since" }] });
  if (entry.action === "price_rule.add") {
    const isSame = known !== null && RULE_FIELDS.every((name) => rule[name] === known[name]);
    const left = isSame ? [] : [{ label, why: `changed since: ${inWords(rule)}` }];
    const changes = isSame ? [{ label, now: inWords(rule), to: "none" }] : [];
    return preparedUndo({ changes, left, version: rule.version }, async (by: Actor) =>
      saved(await removeRule(db, by, providerId, { category, version: rule.version })),
    );
  }
  const { margin, roundTo, minimum } = rule;
  const { back, ...compared } = compareFields(entry.detail, { margin, roundTo, minimum }, words);
  const changed = { category, margin, roundTo, minimum, ...back } as PriceRule;
  return preparedUndo({ ...compared, version: rule.version }, async (by: Actor) =>
    saved(await changeRule(db, by, providerId, changed, rule.version)),
  );
}

function knownRule(category: string, { margin, roundTo, minimum }: Record<string, unknown>): PriceRule | null {
  if (typeof margin !== "number" || typeof roundTo !== "number" || typeof minimum !== "number") return null;
  return { category, margin, roundTo, minimum };
}

function saved(result: { ok: true } | { ok: false; reason: RuleRefusal }): Undone {
  return result.ok ? { ok: true } : { ok: false, message: CHANGED_RULE[result.reason] };
}
