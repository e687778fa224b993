import type { ResourceRow } from "../resource/resource.ts";
import type { Store } from "../resource/store.server.ts";
import type { ResourceType } from "../resources/all-resources.ts";
import { percentCodeStore } from "./percent-code-store.server.ts";
import { savedReplyStore } from "./saved-reply-store.server.ts";

/** The store of each resource. */
export const STORES = { percent_code: percentCodeStore, reply: savedReplyStore } satisfies Record<
  ResourceType,
  // biome-ignore lint/suspicious/noExplicitAny: each has its own rows and input
  Store<any, any>
>;

export function storeOf(type: ResourceType): Store<ResourceRow, unknown> {
  return STORES[type] as unknown as Store<ResourceRow, unknown>;
}
