import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Actor } from "#app/db/audit.server.ts";
import { importCatalog, previewImport } from "#app/orders/providers/catalog-import.server.ts";
import { PROVIDER_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import type { StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import { markupInput, parseStaffForm, providerInput, textsOf } from "#app/orders/staff/staff-input.server.ts";
import { type ImportLine, LINES_SHOWN } from "./import-report.tsx";
import { changeProvider, type ProviderTest, readProviderWithKey, testProvider } from "./provider-admin.server.ts";

/** What an import would do, for a person to agree to: by `digest`, to exactly this. */
export type ShownPreview = {
  markup: number;
  digest: string;
  offered: number;
  counts: Record<string, number>;
  lines: ImportLine[];
};
export type ProviderFormResult = NonNullable<StaffFormResult> & { preview?: ShownPreview; test?: ProviderTest };
type Done =
  | { kind: "said"; said: string }
  | { kind: "shown"; status: 200 | 400 | 404 | 409 | 502; answer: ProviderFormResult };

const NO_CATALOG = "The provider gave no catalog that can be read. Its answer is below.";

/** Runs one form of the provider's page. Null for a form that the page does not have, or a provider that is not there. */
export async function submitProviderForm(
  { db, env }: AppLoadContext,
  actor: Actor,
  providerId: number,
  form: FormData,
): Promise<Done | null> {
  const intent = String(form.get("intent"));
  const provider = await readProviderWithKey(db, providerId);
  if (!provider) return null;
  switch (intent) {
    case "provider": {
      const parsed = parseStaffForm(providerInput, intent, form);
      const { key: _, ...values } = textsOf(form);
      if (!parsed.ok) return { kind: "shown", status: 400, answer: { ...parsed.answer, values } };
      const act = await changeProvider(db, env, actor, providerId, parsed.input);
      if (act.ok) return { kind: "said", said: "Saved." };
      return { kind: "shown", status: 409, answer: { intent, error: PROVIDER_TEXTS[act.reason], values } };
    }
    case "test":
      return { kind: "shown", status: 200, answer: { intent, test: await testProvider(db, env, provider) } };
    case "preview": {
      const parsed = parseStaffForm(markupInput, intent, form);
      if (!parsed.ok) return { kind: "shown", status: 400, answer: parsed.answer };
      const preview = await previewImport(db, env, provider, parsed.input.markup);
      if (!preview.ok) return { kind: "shown", status: 502, answer: { intent, error: NO_CATALOG } };
      return { kind: "shown", status: 200, answer: { intent, preview: shown(preview, parsed.input.markup) } };
    }
    case "import": {
      const parsed = parseStaffForm(markupInput, intent, form);
      if (!parsed.ok || !parsed.input.digest) return null;
      const { markup, digest } = parsed.input;
      const result = await importCatalog(db, env, provider, markup, { actor, digest });
      if (result.ok) return { kind: "said", said: `The catalog is imported: ${result.changes.length} changes.` };
      if (result.reason === "no_catalog") {
        return { kind: "shown", status: 502, answer: { intent: "preview", error: NO_CATALOG } };
      }
      const preview = await previewImport(db, env, provider, markup);
      const error = "The catalog changed since you looked. This is how it is now; nothing was imported.";
      const again = preview.ok ? { preview: shown(preview, markup) } : {};
      return { kind: "shown", status: 409, answer: { intent: "preview", error, ...again } };
    }
    default:
      return null;
  }
}

function shown(
  preview: Extract<Awaited<ReturnType<typeof previewImport>>, { ok: true }>,
  markup: number,
): ShownPreview {
  const counts: Record<string, number> = {};
  for (const { kind } of preview.changes) counts[kind] = (counts[kind] ?? 0) + 1;
  const { digest, offered, changes } = preview;
  return { markup, digest, offered, counts, lines: changes.slice(0, LINES_SHOWN) };
}
