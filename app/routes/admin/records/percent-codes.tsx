import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { resourceAction } from "#app/console/resource/resource-action.server.ts";
import { resourceLoader } from "#app/console/resource/resource-loader.server.ts";
import { ResourcePage, resourceMeta } from "#app/console/resource/resource-page.tsx";
import PERCENT_CODES from "#app/console/resources/percent-codes.tsx";
import percentCodeStore from "#app/console/stores/percent-code-store.server.ts";

export const meta = resourceMeta(PERCENT_CODES);
export const loader = resourceLoader(percentCodeStore);
export const action = resourceAction(percentCodeStore);
export const shouldRevalidate = reloadAfterConflict;

export default function PercentCodesPage() {
  return <ResourcePage resource={PERCENT_CODES} />;
}
