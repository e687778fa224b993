import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import { browserCookie, clearCookie, readCookie } from "#app/http/cookies.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { isSessionId, userSessionId } from "#app/support/protocol/session-id.ts";

/** The part of a signed-in person that support needs. */
export type Person = { userId: string; email: string; fullName: string; role: "customer" | "agent" | "admin" };

export type Caller = {
  person: Person | null;
  /** The anonymous conversation that this browser started. */
  anonymousId: string | null;
};

const COOKIE_SECONDS = 180 * 24 * 60 * 60;
/** `until`: in ms. A browser forgets the cookie by then; a copy of it opens nothing either. */
const granted = z.object({ id: z.string().refine(isSessionId), until: z.number() });
const VISITOR_NAME = "Visitor";

/** What the request's cookies prove. A session id in a path or a body proves nothing. */
export async function readCaller(request: Request, env: Env, person: Person | null): Promise<Caller> {
  const cookie = granted.safeParse(await readCookie(conversationCookie(request, env), request));
  const isValid = cookie.success && cookie.data.until > Date.now();
  return { person, anonymousId: isValid ? cookie.data.id : null };
}

/** The Set-Cookie header that lets this browser into its anonymous conversation. */
export function grantConversation(request: Request, env: Env, sessionId: string): Promise<string> {
  return conversationCookie(request, env).serialize({ id: sessionId, until: Date.now() + COOKIE_SECONDS * 1000 });
}

/** The Set-Cookie header that lets this browser forget it. */
export function releaseConversation(request: Request, env: Env): Promise<string> {
  return clearCookie(conversationCookie(request, env));
}

/** The caller's own conversation, started or not. Null for a visitor who has none. */
export function ownSessionId(caller: Caller): string | null {
  return caller.person ? userSessionId(caller.person.userId) : caller.anonymousId;
}

/** As whom the caller may enter the room. Null: not at all, and it must look as if there were no such room. */
export function identityIn(sessionId: string, { person, anonymousId }: Caller): Identity | null {
  if (!isSessionId(sessionId)) return null;
  if (person && sessionId === userSessionId(person.userId)) {
    return { side: "user", author: sessionId, name: person.fullName || person.email };
  }
  const agent = agentIdentity({ person });
  if (agent) return agent;
  if (anonymousId === sessionId) return { side: "user", author: sessionId, name: VISITOR_NAME };
  return null;
}

/** Null for who is not of the team. */
export function agentIdentity({ person }: Pick<Caller, "person">): Identity | null {
  if (person?.role !== "agent" && person?.role !== "admin") return null;
  return { side: "admin", author: person.userId, name: person.fullName || "Support" };
}

function conversationCookie(request: Request, env: Pick<AppLoadContext["env"], "SESSION_SECRET">) {
  return browserCookie(request, "growline_support", { maxAgeSeconds: COOKIE_SECONDS, secrets: env.SESSION_SECRET });
}
