import { exportName, type ResourceRow, type ResourceType } from "../resource/resource.ts";
import { exportResource } from "../resource/resource-loader.server.ts";
import type { Store } from "../resource/store.server.ts";

type AnyStore = Store<ResourceRow, unknown>;

/** The store of each resource: one a file of this folder. */
export const ALL_STORES: readonly AnyStore[] = Object.values(
  import.meta.glob<AnyStore>("./*-store.server.ts", { eager: true, import: "default" }),
);

export function storeOf(type: ResourceType): AnyStore {
  const found = ALL_STORES.find(({ resource }) => resource.type === type);
  if (!found) throw new Error(`app/console/stores has no store of ${type}`);
  return found;
}

/** The exports of the resources' lists, by the name in the URL. */
export const RESOURCE_EXPORTS = Object.fromEntries(
  ALL_STORES.filter(({ csv }) => csv).map((store) => [exportName(store.resource), exportResource(store)]),
);
