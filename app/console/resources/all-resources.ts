import type { Resource } from "../resource/resource.ts";

export type { ResourceType } from "../resource/resource.ts";

/** What staff manage in the console: each file of this folder defines one kind of record. */
export const ALL_RESOURCES: readonly Resource[] = Object.values(
  import.meta.glob<Resource>("./*.tsx", { eager: true, import: "default" }),
);

/** Returns the resource of a subject or of an action: "reply", "reply.create". */
export function resourceOf(name: string): Resource | null {
  const subject = name.split(".", 1).join();
  return ALL_RESOURCES.find(({ type }) => type === subject) ?? null;
}
