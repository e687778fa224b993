import { resourceAction } from "#app/console/resource/resource-action.server.ts";
import { resourceLoader } from "#app/console/resource/resource-loader.server.ts";
import { ResourcePage, resourceMeta } from "#app/console/resource/resource-page.tsx";
import { PERCENT_CODES } from "#app/console/resources/percent-codes.tsx";
import { percentCodeStore } from "#app/console/stores/percent-code-store.server.ts";

export const meta = resourceMeta(PERCENT_CODES);
export const loader = resourceLoader(PERCENT_CODES, percentCodeStore);
export const action = resourceAction(PERCENT_CODES, percentCodeStore);

export default function PercentCodesPage() {
  return <ResourcePage resource={PERCENT_CODES} />;
}
