import { MARGIN_PERCENT } from "./catalog-model.ts";
import type { ProviderCatalog } from "./outside/provider-catalog.ts";
import type { Person } from "./people.ts";
import type { Site } from "./site.ts";

/** The provider whose catalog changes, and our ids of its services. `provider` is its number in the script. */
export type Shop = { provider: number; providerId: number; serviceIds: number[]; catalog: ProviderCatalog };

/** Adds the provider's price rule, imports the provider's first catalog and puts all of it on sale. */
export async function openShop(
  site: Site,
  admin: Person,
  { provider, providerId, catalog }: Omit<Shop, "serviceIds">,
): Promise<Shop> {
  const page = `/admin/providers/${providerId}`;
  const rule = { category: "", margin: String(MARGIN_PERCENT), roundTo: "0.000001", minimum: "0" };
  const added = await admin.submit(page, { intent: "add-rule", ...rule });
  if (added.status >= 400) throw new Error(`price rule: ${added.status}`);
  const { html } = await admin.submit(page, { intent: "preview" });
  const digest = digestIn(html);
  if (!digest) throw new Error("the import has no preview");
  const { status } = await admin.submit(page, { intent: "import", digest, picked: everyRow(html) });
  if (status >= 400) throw new Error(`import: ${status}`);
  const ids = catalog.services.map(({ id }) => id);
  const rows = await site.query<{ id: number }>(
    `select id from services where provider_id = ? and provider_service_id in (${ids.map(() => "?")}) order by id`,
    providerId,
    ...ids,
  );
  const chosen = new URLSearchParams([["change", "on"], ...rows.map(({ id }) => ["id", String(id)])]);
  const bulk = `/admin/services/bulk?${chosen}`;
  const plan = digestIn(await (await admin.get(bulk)).text());
  const enabled = await admin.submit(bulk, { intent: "apply", digest: plan ?? "" });
  if (enabled.status >= 400) throw new Error(`on sale: ${enabled.status}`);
  return { provider, providerId, serviceIds: rows.map(({ id }) => id), catalog };
}

/** Returns the digest of the plan that a page shows. */
function digestIn(html: string): string | undefined {
  return /name="digest" value="([^"]+)"/.exec(html)?.[1];
}

/** Returns the value of the field that ticks every row of a preview. */
export function everyRow(html: string): string {
  return JSON.stringify([...html.matchAll(/name="pick"[^>]* value="([^"]*)"/g)].map(([, id]) => id));
}
