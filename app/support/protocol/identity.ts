import type { Side } from "./frames.ts";

/** The person on a socket or behind a request, as the worker authenticated them. Never read from a frame. */
export type Identity = {
  side: Side;
  /** Author of the messages; client ids are unique per author. */
  author: string;
  name: string;
};

/** The identity on a socket, which must not outlive what it was authenticated by. */
export type SocketIdentity = Identity & {
  /** The signed-in session. Null for a visitor who was let in by the cookie of an anonymous conversation. */
  authSession: { id: string; userId: string } | null;
};

/** Carries the identity from the worker to a Durable Object, which only the worker can reach. */
export const IDENTITY_HEADER = "X-Support-Identity";

// Headers are Latin-1; names are not.
export function encodeIdentity(identity: SocketIdentity): string {
  return encodeURIComponent(JSON.stringify(identity));
}

export function decodeIdentity(header: string): SocketIdentity {
  return JSON.parse(decodeURIComponent(header)) as SocketIdentity;
}
