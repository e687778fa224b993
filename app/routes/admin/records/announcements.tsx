import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { resourceAction } from "#app/console/resource/resource-action.server.ts";
import { resourceLoader } from "#app/console/resource/resource-loader.server.ts";
import { ResourcePage, resourceMeta } from "#app/console/resource/resource-page.tsx";
import ANNOUNCEMENTS from "#app/console/resources/announcements.tsx";
import announcementStore from "#app/console/stores/announcement-store.server.ts";

export const meta = resourceMeta(ANNOUNCEMENTS);
export const loader = resourceLoader(announcementStore);
export const action = resourceAction(announcementStore);
export const shouldRevalidate = reloadAfterConflict;

export default function AnnouncementsPage() {
  return <ResourcePage resource={ANNOUNCEMENTS} />;
}
