import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import { browserCookie, clearCookie, readCookie } from "#app/http/cookies.ts";
import type { SocketIdentity } from "#app/support/protocol/identity.ts";
import { isSessionId, userSessionId } from "#app/support/protocol/session-id.ts";

/** The fields of a signed-in user that support needs. */
export type Person = {
  userId: string;
  sessionId: string;
  email: string;
  fullName: string;
  role: "customer" | "agent" | "admin";
};

export type Caller = {
  person: Person | null;
  /** The anonymous conversation that this browser started. */
  anonymousId: string | null;
};

const COOKIE_SECONDS = 180 * 24 * 60 * 60;
/** `until`: ms. It also expires copies of the cookie, which Max-Age cannot. */
const granted = z.object({ id: z.string().refine(isSessionId), until: z.number() });
const VISITOR_NAME = "Visitor";

/** Reads who is calling from the request's cookies. A session id in a path or a body proves nothing. */
export async function readCaller(request: Request, env: Env, person: Person | null): Promise<Caller> {
  const cookie = granted.safeParse(await readCookie(conversationCookie(request, env), request));
  const isValid = cookie.success && cookie.data.until > Date.now();
  return { person, anonymousId: isValid ? cookie.data.id : null };
}

/** Returns the Set-Cookie header that gives this browser access to its anonymous conversation. */
export function grantConversation(request: Request, env: Env, sessionId: string): Promise<string> {
  return conversationCookie(request, env).serialize({ id: sessionId, until: Date.now() + COOKIE_SECONDS * 1000 });
}

/** Returns the Set-Cookie header that removes that access. */
export function releaseConversation(request: Request, env: Env): Promise<string> {
  return clearCookie(conversationCookie(request, env));
}

/** Returns the id of the caller's own conversation, started or not, or null for a visitor without one. */
export function ownSessionId(caller: Caller): string | null {
  return caller.person ? userSessionId(caller.person.userId) : caller.anonymousId;
}

/** Returns the caller's identity in that room. Null: no access, which must look like a room that does not exist. */
export function identityIn(sessionId: string, { person, anonymousId }: Caller): SocketIdentity | null {
  if (!isSessionId(sessionId)) return null;
  if (person && sessionId === userSessionId(person.userId)) {
    return { side: "user", author: sessionId, name: person.fullName || person.email, authSession: authSession(person) };
  }
  const agent = agentIdentity({ person });
  if (agent) return agent;
  if (anonymousId === sessionId) return { side: "user", author: sessionId, name: VISITOR_NAME, authSession: null };
  return null;
}

/** Returns null unless the caller is an agent or an admin. */
export function agentIdentity({ person }: Pick<Caller, "person">): SocketIdentity | null {
  if (person?.role !== "agent" && person?.role !== "admin") return null;
  return { side: "admin", author: person.userId, name: person.fullName || "Support", authSession: authSession(person) };
}

function authSession({ sessionId, userId }: Person) {
  return { id: sessionId, userId };
}

function conversationCookie(request: Request, env: Pick<AppLoadContext["env"], "SESSION_SECRET">) {
  return browserCookie(request, "growline_support", { maxAgeSeconds: COOKIE_SECONDS, secrets: env.SESSION_SECRET });
}
