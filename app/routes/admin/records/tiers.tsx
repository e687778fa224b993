import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { resourceAction } from "#app/console/resource/resource-action.server.ts";
import { resourceLoader } from "#app/console/resource/resource-loader.server.ts";
import { ResourcePage, resourceMeta } from "#app/console/resource/resource-page.tsx";
import TIERS from "#app/console/resources/tiers.tsx";
import tierStore from "#app/console/stores/tier-store.server.ts";

export const meta = resourceMeta(TIERS);
export const loader = resourceLoader(tierStore);
export const action = resourceAction(tierStore);
export const shouldRevalidate = reloadAfterConflict;

export default function TiersPage() {
  return <ResourcePage resource={TIERS} />;
}
