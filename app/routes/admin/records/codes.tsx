import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { resourceAction } from "#app/console/resource/resource-action.server.ts";
import { resourceLoader } from "#app/console/resource/resource-loader.server.ts";
import { ResourcePage, resourceMeta } from "#app/console/resource/resource-page.tsx";
import CODE_BATCHES from "#app/console/resources/code-batches.tsx";
import codeBatchStore from "#app/console/stores/code-batch-store.server.ts";

export const meta = resourceMeta(CODE_BATCHES);
export const loader = resourceLoader(codeBatchStore);
export const action = resourceAction(codeBatchStore);
export const shouldRevalidate = reloadAfterConflict;

export default function CodesPage() {
  return <ResourcePage resource={CODE_BATCHES} />;
}
