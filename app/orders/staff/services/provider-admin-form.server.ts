import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { countByKind, importCatalog, previewImport } from "#app/orders/providers/catalog-import.server.ts";
import { MAX_CALLS_PER_MINUTE, MAX_CONCURRENT_CALLS } from "#app/orders/rules/call-limits.ts";
import { checkbox, count, onceKey, optionalCount, requiredText } from "#app/orders/staff/staff-fields.server.ts";
import { type ImportLine, LINES_SHOWN } from "./import-report.tsx";
import {
  addProvider,
  changeProvider,
  type ProviderRefusal,
  type ProviderTest,
  readProviderWithKey,
  testProvider,
} from "./provider-admin.server.ts";
import { PROVIDER_INTENT } from "./provider-form.tsx";

const PROVIDER_TEXTS: Record<ProviderRefusal, string> = {
  not_found: "Provider not found.",
  name_taken: "Another provider has this name.",
  bad_address: "Enter a public URL that starts with https://.",
  key_needed: "Enter the API key. A new provider or a new URL needs it.",
  repeated: "This form was already submitted. The provider is in the list.",
};

/** The changes that an import would make. `digest` identifies exactly these changes. */
export type ImportPreview = {
  markup: number;
  digest: string;
  offered: number;
  counts: Record<string, number>;
  lines: ImportLine[];
};
export type ProviderFormResult = FormResult & { preview?: ImportPreview; test?: ProviderTest };
const NO_CATALOG = "The provider returned no readable catalog. See its response below.";
const MAX_MARKUP_PERCENT = 1000;

const providerInput = z.object({
  name: requiredText(60),
  apiUrl: z.url("Enter the API URL, starting with https://").max(300),
  key: z.string().trim().max(300),
  enabled: checkbox,
  markupPercent: optionalCount.refine(
    (percent) => percent === null || percent <= MAX_MARKUP_PERCENT,
    "Enter at most 1,000 percent",
  ),
  concurrentCalls: count.refine(
    (calls) => calls >= 1 && calls <= MAX_CONCURRENT_CALLS,
    `Enter a number from 1 to ${MAX_CONCURRENT_CALLS}`,
  ),
  callsPerMinute: optionalCount.refine(
    (calls) => calls === null || (calls >= 1 && calls <= MAX_CALLS_PER_MINUTE),
    `Enter a number from 1 to ${MAX_CALLS_PER_MINUTE.toLocaleString("en-US")}, or leave it empty`,
  ),
  honorsIdempotencyKeys: checkbox,
});

const markupInput = z.object({
  markup: count.refine((percent) => percent <= MAX_MARKUP_PERCENT, "Enter at most 1,000 percent"),
  digest: z.string().max(64).optional(),
});

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
  const message = "Provider added. Test the connection, then import its catalog.";
  return { kind: "done", message, to: `/admin/providers/${added.providerId}` };
}

/** Handles the forms of a provider's page. Returns null for an unknown form or provider. */
export async function submitProviderForm(
  { db, env }: AppLoadContext,
  actor: Actor,
  providerId: number,
  form: FormData,
): Promise<FormOutcome<ProviderFormResult> | null> {
  const intent = String(form.get("intent"));
  const provider = await readProviderWithKey(db, providerId);
  if (!provider) return null;
  switch (intent) {
    case PROVIDER_INTENT: {
      const parsed = parseForm(form, providerInput, { secrets: ["key"] });
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const saved = await changeProvider(db, env, actor, providerId, parsed.input);
      if (saved.ok) return { kind: "done", message: "Provider saved." };
      return { kind: "shown", status: 409, result: parsed.refuse({ message: PROVIDER_TEXTS[saved.reason] }) };
    }
    case "test":
      return { kind: "shown", status: 200, result: { intent, ok: true, test: await testProvider(db, env, provider) } };
    case "preview": {
      const parsed = parseForm(form, markupInput);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const preview = await previewImport(db, env, provider, parsed.input.markup);
      if (!preview.ok) return { kind: "shown", status: 502, result: parsed.refuse({ message: NO_CATALOG }) };
      const shown = shownPreview(preview, parsed.input.markup);
      return { kind: "shown", status: 200, result: { intent, ok: true, preview: shown } };
    }
    case "import": {
      const parsed = parseForm(form, markupInput);
      if (!parsed.ok || !parsed.input.digest) return null;
      const { markup, digest } = parsed.input;
      const imported = await importCatalog(db, env, provider, markup, { actor, digest });
      if (imported.ok) return { kind: "done", message: `Catalog imported: ${imported.changes.length} changes.` };
      if (imported.reason === "no_catalog") {
        return { kind: "shown", status: 502, result: { intent: "preview", ok: false, message: NO_CATALOG } };
      }
      const preview = await previewImport(db, env, provider, markup);
      const message =
        "The provider's catalog changed after your preview, so nothing was imported. Check the new preview.";
      const current = preview.ok ? { preview: shownPreview(preview, markup) } : {};
      return { kind: "shown", status: 409, result: { intent: "preview", ok: false, message, ...current } };
    }
    default:
      return null;
  }
}

function shownPreview(
  preview: Extract<Awaited<ReturnType<typeof previewImport>>, { ok: true }>,
  markup: number,
): ImportPreview {
  const { digest, offered, changes } = preview;
  return { markup, digest, offered, counts: countByKind(changes), lines: changes.slice(0, LINES_SHOWN) };
}
