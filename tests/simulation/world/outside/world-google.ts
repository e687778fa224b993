import { MINUTE_MS } from "#app/time.ts";
import { startGoogleEmulator } from "#tools/stand-ins/google-emulator.ts";
import type { GoogleMode, MailboxName } from "../../scripts/plan-mailboxes.ts";
import { canaryOf } from "../site.ts";
import { SLOW_MS } from "./slow-and-hanging.ts";

/** A consent and everything that was called with the tokens from it. Times in real ms since 1970. */
export type GoogleGrant = { email: string; calls: { at: number; path: string }[] };

/** Google, with two mailboxes of each customer, whose faults the script knows. */
export type WorldGoogle = {
  bindings: Record<string, string>;
  /** Consents on Google's page as the mailbox's owner. Returns the query with which the browser comes back. */
  consent(
    authUrl: string,
    email: string,
    by: "consent" | "denial" | "no scope",
  ): Promise<{ query: URLSearchParams; grant: GoogleGrant }>;
  receive(email: string, subject: string): Promise<void>;
  trashNewest(email: string): Promise<void>;
  revoke(email: string): Promise<void>;
  /** Returns the ids of the messages outside of trash and spam, newest first. */
  idsIn(email: string): Promise<string[]>;
  /** Returns how many messages the mailbox has by its profile, with trash and spam. */
  totalIn(email: string): Promise<number>;
  isFailing(): boolean;
  setClock(now: () => number): void;
  /** Fails in a way until a time, in simulated ms since the script's beginning. */
  fail(mode: GoogleMode, until: number): void;
  close(): Promise<void>;
};

const CLIENT = { id: "world.apps.googleusercontent.com", secret: "world-google" };
const SIZES: Record<MailboxName, number> = { first: 40, second: 3 };
const RETRY_AFTER_S = 30;

export function mailboxOf(customer: number, name: MailboxName): string {
  return `${name}.${canaryOf(customer)}@gmail.example`;
}

/** `siteUrl` is where consents lead back. */
export async function startWorldGoogle(siteUrl: string, customers: number): Promise<WorldGoogle> {
  let now = () => 0;
  let trouble: { mode: GoogleMode; until: number } | null = null;
  const byCode = new Map<string, GoogleGrant>();
  const byToken = new Map<string, GoogleGrant>();
  const mailboxes = Array.from({ length: customers }, (_, customer) =>
    (Object.keys(SIZES) as MailboxName[]).map((name) => ({ email: mailboxOf(customer, name), name, customer })),
  ).flat();
  const emulator = await startGoogleEmulator(
    { ...CLIENT, redirectUris: [`${siteUrl}/gmail-sync/callback`] },
    { mailboxes, messages: mailboxes.flatMap(seedOf), around },
  );

  function around(handle: (request: Request, cut: () => void) => Promise<Response>) {
    return async (request: Request, cut: () => void): Promise<Response> => {
      const { pathname } = new URL(request.url);
      const isToken = pathname === "/oauth2/token";
      const bearer = request.headers.get("Authorization")?.slice("Bearer ".length) ?? "";
      const isOurs = isToken || byToken.has(bearer);
      if (!isOurs) return handle(request, cut);
      const form = isToken ? new URLSearchParams(await request.clone().text()) : new URLSearchParams();
      const grant =
        byToken.get(bearer) ?? byToken.get(form.get("refresh_token") ?? "") ?? byCode.get(form.get("code") ?? "");
      grant?.calls.push({ at: Date.now(), path: pathname });
      const mode = trouble && now() < trouble.until ? trouble.mode : null;
      if (mode === "busy") return refused(429, "userRateLimitExceeded", { "Retry-After": String(RETRY_AFTER_S) });
      if (mode === "down") return refused(503, "backendError");
      if (mode === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      let response = await handle(request, cut);
      if (isToken && response.ok) {
        // Google sends an ID token only if asked for one. The emulator's has the machine's time.
        const { id_token: _, ...tokens } = (await response.json()) as Record<string, string>;
        for (const token of [tokens.access_token, tokens.refresh_token]) if (token && grant) byToken.set(token, grant);
        response = Response.json(tokens);
      }
      if (mode === "cut") cut();
      return response;
    };
  }

  /** Calls the Gmail API as the mailbox's owner, whom no fault concerns. */
  async function asOwner(email: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${emulator.url}/gmail/v1/users/me${path}`, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${emulator.tokenOf(email)}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return text === "" ? null : JSON.parse(text);
  }

  async function idsIn(email: string): Promise<string[]> {
    const page = (await asOwner(email, "/messages?maxResults=500")) as { messages?: { id: string }[] };
    return (page.messages ?? []).map(({ id }) => id);
  }

  async function totalIn(email: string): Promise<number> {
    const profile = (await asOwner(email, "/profile")) as { messagesTotal: number };
    return profile.messagesTotal;
  }

  return {
    bindings: {
      GOOGLE_ISSUER: emulator.url,
      GOOGLE_API_BASE: emulator.url,
      GOOGLE_CLIENT_ID: CLIENT.id,
      GOOGLE_CLIENT_SECRET: CLIENT.secret,
    },
    async consent(authUrl, email, by) {
      const query = new URL(authUrl).searchParams;
      const form = new URLSearchParams(query);
      form.set("email", email);
      form.set("decision", by === "denial" ? "deny" : "allow");
      if (by !== "no scope") form.set("granted", query.get("scope") ?? "");
      const target = `${emulator.url}/o/oauth2/v2/auth/consent`;
      const response = await fetch(target, { method: "POST", redirect: "manual", body: form });
      await response.body?.cancel();
      const back = new URL(response.headers.get("Location") ?? "").searchParams;
      const grant: GoogleGrant = { email, calls: [] };
      byCode.set(back.get("code") ?? "", grant);
      return { query: back, grant };
    },
    async receive(email, subject) {
      await asOwner(email, "/messages", { from: "news@sender.example", to: email, subject, body_text: subject });
    },
    async trashNewest(email) {
      const [newest] = await idsIn(email);
      if (newest !== undefined) await asOwner(email, `/messages/${newest}/trash`, {});
    },
    async revoke(email) {
      const body = new URLSearchParams({ token: emulator.tokenOf(email) });
      await fetch(`${emulator.url}/oauth2/revoke`, { method: "POST", body });
    },
    idsIn,
    totalIn,
    isFailing: () => trouble !== null && now() < trouble.until,
    setClock(clock) {
      now = clock;
    },
    fail(mode, until) {
      trouble = { mode, until };
    },
    close: () => emulator.close(),
  };
}

function seedOf({ email, name, customer }: { email: string; name: MailboxName; customer: number }) {
  return Array.from({ length: SIZES[name] }, (_, n) => ({
    user_email: email,
    from: "news@sender.example",
    to: email,
    subject: `${name} ${n} ${canaryOf(customer)}`,
    body_text: `Message ${n} of ${canaryOf(customer)}`,
    date: new Date(Date.now() - (n + 7) * MINUTE_MS).toISOString(),
    label_ids: ["INBOX"],
  }));
}

function refused(code: number, reason: string, headers: Record<string, string> = {}): Response {
  const error = { code, message: reason, errors: [{ reason, domain: "usageLimits" }] };
  return Response.json({ error }, { status: code, headers });
}
