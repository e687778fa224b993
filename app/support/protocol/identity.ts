import type { Side } from "./frames.ts";

/** Who is on a socket, as the worker found it out. Never taken from a frame. */
export type Identity = {
  side: Side;
  /** The author of messages; client ids are unique within it. */
  author: string;
  name: string;
};

export const SYSTEM_AUTHOR = "system";
export const WELCOME_CLIENT_ID = "welcome";
export const BOT_NAME = "Support Bot";

/** Where a browser keeps the id of its conversation. */
export const SESSION_KEY = "support_session_id";

/** At the end of an address: opens the chat on that page. */
export const CHAT_HASH = "#support-chat";

const MESSAGE_HASH = /^#message-(\d{1,15})$/;

/** At the end of a conversation's address in the console: goes to that message. */
export function messageHash(seq: number): string {
  return `#message-${seq}`;
}

/** The seq of the message that the hash names; null for any other hash. */
export function messageOfHash(hash: string): number | null {
  const seq = MESSAGE_HASH.exec(hash)?.[1];
  return seq === undefined ? null : Number(seq);
}

/** There is one desk object for all consoles. */
export const DESK_NAME = "desk";

/** The worker's word to an object about who is calling. Only the worker can reach an object. */
export const IDENTITY_HEADER = "X-Support-Identity";

/** 128 bits. */
const RANDOM_BYTES = 16;
const SESSION_ID = /^(?:user_[\w-]{1,64}|anon_\d{1,15}_[0-9a-f]{32})$/;

export function userSessionId(userId: string): string {
  return `user_${userId}`;
}

/** Null for an anonymous session. */
export function userIdOf(sessionId: string): string | null {
  return sessionId.startsWith("user_") ? sessionId.slice("user_".length) : null;
}

export function newAnonymousSessionId(now: number): string {
  return `anon_${now}_${randomHex()}`;
}

// Not crypto.randomUUID, which a page on a plain http address does not have.
export function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function isAnonymous(sessionId: string): boolean {
  return sessionId.startsWith("anon_");
}

export function isSessionId(value: string): boolean {
  return SESSION_ID.test(value);
}

export function welcomeText(name: string): string {
  return `Hi ${name}! Welcome to our support chat. How can we help you today?`;
}

// A header carries Latin-1 only, a name does not.
export function encodeIdentity(identity: Identity): string {
  return encodeURIComponent(JSON.stringify(identity));
}

export function decodeIdentity(header: string): Identity {
  return JSON.parse(decodeURIComponent(header)) as Identity;
}
