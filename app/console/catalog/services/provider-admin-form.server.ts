import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { pickedKeys } from "#app/console/catalog/imports/picked-keys.server.ts";
import { submitRuleForm } from "#app/console/catalog/imports/price-rules-form.server.ts";
import { checkbox, count, onceKey, optionalCount, requiredName, ticked } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { conflictForm, type FieldTexts, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { type ImportPreview, importCatalog, previewImport } from "#app/orders/providers/catalog-import.server.ts";
import { type Sync, syncCatalog } from "#app/orders/providers/catalog-sync.server.ts";
import { MAX_CALLS_PER_MINUTE, MAX_CONCURRENT_CALLS } from "#app/orders/rules/call-limits.ts";
import { parsePercent } from "#app/orders/rules/margin.ts";
import { refusalText } from "#app/orders/services/service-guard.ts";
import {
  addProvider,
  changeProvider,
  type ProviderInput,
  type ProviderRefusal,
  readProviderChange,
  readProviderWithKey,
} from "./provider-admin.server.ts";
import { PROVIDER_INTENT } from "./provider-form.tsx";
import { submitTeachingForm, type TeachingResult } from "./teaching/teaching-form.server.ts";
import { type ProviderTest, testProvider } from "./test-provider.server.ts";

const PROVIDER_TEXTS: Record<Exclude<ProviderRefusal, "stale">, string> = {
  not_found: "Provider not found.",
  name_taken: "Another provider has this name.",
  bad_address: "Enter a public URL that starts with https://.",
  key_needed: "Enter the API key. A new provider or a new URL needs it.",
  repeated: "This form was already submitted. The provider is in the list.",
};

export type ProviderFormResult = TeachingResult & { preview?: ImportPreview; test?: ProviderTest };
const NOTHING_TICKED = "Nothing was ticked, so nothing was imported. Preview the changes again.";
/** Why a catalog can't be compared with ours. */
const INCOMPARABLE = {
  no_catalog: "The provider returned no readable catalog. See its response below.",
  other_currency: "Its rates are in another currency, so no rule can price them. Add its services by hand.",
  no_rule: "Add a price rule first. Rates are calculated from it.",
};
const MIN_RISE_LIMIT = 100;
const MAX_RISE_LIMIT = 10_000;

const providerInput = z.object({
  name: requiredName(60),
  apiUrl: z.url("Enter the API URL, starting with https://").max(300),
  key: z.string().trim().max(300),
  enabled: checkbox,
  riseLimit: z
    .string()
    .default("20")
    .transform(parsePercent)
    .pipe(z.number("Enter a percentage from 1 to 100"))
    .refine((limit) => limit >= MIN_RISE_LIMIT && limit <= MAX_RISE_LIMIT, "Enter a percentage from 1 to 100"),
  concurrentCalls: count.refine(
    (calls) => calls >= 1 && calls <= MAX_CONCURRENT_CALLS,
    `Enter a number from 1 to ${MAX_CONCURRENT_CALLS}`,
  ),
  callsPerMinute: optionalCount.refine(
    (calls) => calls === null || (calls >= 1 && calls <= MAX_CALLS_PER_MINUTE),
    `Enter a number from 1 to ${MAX_CALLS_PER_MINUTE.toLocaleString("en-US")}, or leave it empty`,
  ),
  honorsIdempotencyKeys: checkbox,
  splitsComments: checkbox,
});

const importInput = z.object({ digest: z.string().max(64) });

/** Returns a provider's settings as its form shows them, without the key. */
export function providerTexts(settings: Omit<ProviderInput, "key">): FieldTexts {
  const { name, apiUrl, riseLimit, concurrentCalls, callsPerMinute } = settings;
  const { honorsIdempotencyKeys, splitsComments, enabled } = settings;
  return {
    ...{ name, apiUrl, riseLimit: String(riseLimit / 100), concurrentCalls: String(concurrentCalls) },
    callsPerMinute: String(callsPerMinute ?? ""),
    ...ticked({ honorsIdempotencyKeys, splitsComments, enabled }),
  };
}

/** Handles the form that adds a provider. A form without its key throws 400. */
export async function submitNewProviderForm(
  { db, env }: AppLoadContext,
  actor: Actor,
  form: FormData,
): Promise<FormOutcome> {
  const parsed = parseForm(form, providerInput, { secrets: ["key"] });
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const once = onceKey.safeParse(form.get("once"));
  if (!once.success) throw new Response(null, { status: 400 });
  const added = await addProvider(db, env, actor, parsed.input, once.data);
  if (!added.ok) {
    return { kind: "shown", status: 409, result: parsed.refuse({ message: PROVIDER_TEXTS[added.reason] }) };
  }
  const message = "Provider added. Test the connection, then say what margin its services leave.";
  return { kind: "done", message, to: `/admin/providers/${added.providerId}` };
}

/**
 * Handles the forms of a provider's page. Returns null for an unknown form or provider. `requireProof` throws without a
 * recent proof of who the person is, for a form that needs one only sometimes.
 */
export async function submitProviderForm(
  { db, env }: AppLoadContext,
  actor: Actor,
  providerId: number,
  form: FormData,
  requireProof: () => void,
): Promise<FormOutcome<ProviderFormResult> | null> {
  const intent = String(form.get("intent"));
  const provider = await readProviderWithKey(db, providerId);
  if (!provider) return null;
  switch (intent) {
    case PROVIDER_INTENT: {
      const parsed = parseForm(form, providerInput, { secrets: ["key"] });
      if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
      const { version, at } = readEdit(form);
      const saved = await changeProvider(db, env, actor, providerId, parsed.input, version);
      if (saved.ok) return { kind: "done", message: "Provider saved." };
      if (saved.reason !== "stale") {
        const result = withEdit(parsed.refuse({ message: PROVIDER_TEXTS[saved.reason] }), form);
        return { kind: "shown", status: 409, result };
      }
      const change = await readProviderChange(db, providerId, at);
      const current = { version: change.provider.version, texts: providerTexts(change.provider) };
      const result = conflictForm(form, current, providerTexts(parsed.input), change);
      return { kind: "shown", status: 409, result };
    }
    case "test":
      return { kind: "shown", status: 200, result: { intent, ok: true, test: await testProvider(db, env, provider) } };
    case "preview": {
      const preview = await previewImport(db, env, provider);
      if (!preview.ok) return refusedImport(intent, preview.reason);
      return { kind: "shown", status: 200, result: { intent, ok: true, preview } };
    }
    case "import": {
      const parsed = parseForm(form, importInput);
      if (!parsed.ok) return null;
      const picked = new Set(pickedKeys(form));
      if (picked.size === 0)
        return { kind: "shown", status: 400, result: { intent: "preview", ok: false, message: NOTHING_TICKED } };
      const imported = await importCatalog(db, env, provider, { actor, digest: parsed.input.digest, ticked: picked });
      if (imported.ok) return { kind: "done", message: importedText(imported) };
      const { reason } = imported;
      if (reason === "no_catalog" || reason === "other_currency" || reason === "no_rule") {
        return refusedImport("preview", reason);
      }
      const preview = await previewImport(db, env, provider);
      const message = refusalText(reason === "catalog_changed" ? "stale" : reason);
      const current = preview.ok ? { preview } : {};
      return { kind: "shown", status: 409, result: { intent: "preview", ok: false, message, ...current } };
    }
    case "sync": {
      const synced = await syncCatalog(db, env, provider, actor);
      if (!synced.ok) return refusedImport("preview", synced.reason);
      return { kind: "done", message: syncedText(synced) };
    }
    default:
      return (
        (await submitTeachingForm(db, actor, provider, form, requireProof)) ??
        submitRuleForm(db, actor, providerId, form)
      );
  }
}

function refusedImport(intent: string, reason: keyof typeof INCOMPARABLE): FormOutcome<ProviderFormResult> {
  const status = reason === "no_catalog" ? 502 : 409;
  const message = INCOMPARABLE[reason];
  return { kind: "shown", status, result: { intent, ok: false, message } };
}

function importedText({ added, changed, removed }: { added: number; changed: number; removed: number }): string {
  const parts = [`${added} added off sale`, `${changed} changed`, `${removed} taken off sale`];
  return `Catalog imported: ${parts.filter((part) => !part.startsWith("0 ")).join(", ")}.`;
}

function syncedText({ changed, quarantined, paused, missing }: Extract<Sync, { ok: true }>): string {
  if (changed + quarantined + missing === 0) return "Nothing has changed in the catalog.";
  const said = (count: number, one: string, many: string) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  return [
    ...said(changed, "changed.", "changed."),
    ...said(quarantined, "waits for your decision.", "wait for your decision."),
    ...said(paused, "is off sale until then.", "are off sale until then."),
    ...said(
      missing,
      "service is missing from what looks like a partial answer; it stays on sale.",
      "services are missing from what looks like a partial answer; they stay on sale.",
    ),
  ].join(" ");
}
