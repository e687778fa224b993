import type { Side } from "./frames.ts";

/** The person on a socket or behind a request, as the worker authenticated them. Never read from a frame. */
export type Identity = {
  side: Side;
  /** Author of the messages; client ids are unique per author. */
  author: string;
  name: string;
};

/** Carries the identity from the worker to a Durable Object, which only the worker can reach. */
export const IDENTITY_HEADER = "X-Support-Identity";

// Headers are Latin-1; names are not.
export function encodeIdentity(identity: Identity): string {
  return encodeURIComponent(JSON.stringify(identity));
}

export function decodeIdentity(header: string): Identity {
  return JSON.parse(decodeURIComponent(header)) as Identity;
}
