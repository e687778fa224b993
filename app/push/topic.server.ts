import { createHash } from "node:crypto";

/** Push services take 32 characters of base64url. */
const TOPIC_CHARACTERS = 32;

/** Returns the topic of a tag: a newer message replaces an older one of the same topic that is not delivered yet. */
export function topicOf(tag: string): string {
  return createHash("sha256").update(tag).digest("base64url").slice(0, TOPIC_CHARACTERS);
}
