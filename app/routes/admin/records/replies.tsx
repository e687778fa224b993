import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { resourceAction } from "#app/console/resource/resource-action.server.ts";
import { resourceLoader } from "#app/console/resource/resource-loader.server.ts";
import { ResourcePage, resourceMeta } from "#app/console/resource/resource-page.tsx";
import SAVED_REPLIES from "#app/console/resources/saved-replies.tsx";
import savedReplyStore from "#app/console/stores/saved-reply-store.server.ts";

export const meta = resourceMeta(SAVED_REPLIES);
export const loader = resourceLoader(savedReplyStore);
export const action = resourceAction(savedReplyStore);
export const shouldRevalidate = reloadAfterConflict;

export default function SavedRepliesPage() {
  return <ResourcePage resource={SAVED_REPLIES} />;
}
