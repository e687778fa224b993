import type { Resource } from "../resource/resource.ts";
import { PERCENT_CODES } from "./percent-codes.tsx";
import { SAVED_REPLIES } from "./saved-replies.tsx";

/** What staff manage in the console, by the subject of its audit entries. */
const RESOURCES = { percent_code: PERCENT_CODES, reply: SAVED_REPLIES };

export type ResourceType = keyof typeof RESOURCES;

type AnyResource = Resource & { type: ResourceType };

export const ALL_RESOURCES = Object.values(RESOURCES) as unknown as AnyResource[];

/** Returns the resource of a subject or of an action: "reply", "reply.create". */
export function resourceOf(name: string): AnyResource | null {
  const subject = name.split(".", 1).join();
  return ALL_RESOURCES.find(({ type }) => type === subject) ?? null;
}
