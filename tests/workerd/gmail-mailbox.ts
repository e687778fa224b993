import { env } from "cloudflare:workers";
import { inject } from "vitest";
import { gmailMessages } from "#app/db/schema.server.ts";
import { completeConnection, startConnection } from "#app/gmail/connect/gmail-connection.server.ts";
import { newMailboxMemory, startDueMailboxes, untilIdle } from "#app/gmail/sync/mailbox-rounds.server.ts";
import { type SyncTools, syncDueMailbox, syncMailbox } from "#app/gmail/sync/sync-mailbox.server.ts";
import { readTokenRow, type TokenEnv, unsealToken } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner, type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import type { Fault } from "#tests/stand-ins/google-faults.ts";
import { db } from "./customer.ts";

/** Mailboxes for tests in workerd, against the real emulator with faults in front of it. */

export const ORIGIN = "https://growline.example";
export const DEMO = "demo@gmail.example";
export const SECOND = "second@gmail.example";
const BROWSER = "the-cookie-of-a-browser";

/** Starts an emulator behind its own fault layer. Returns the settings that point to it, and its controls. */
export async function lane() {
  const { url, clientId, clientSecret } = inject("google");
  const name = crypto.randomUUID();
  const emulator: { url: string } = await (await fetch(`${url}/emulator/${name}`)).json();
  const settings: Env = {
    ...env,
    GOOGLE_ISSUER: emulator.url,
    GOOGLE_API_BASE: `${url}/lane/${name}`,
    GOOGLE_CLIENT_ID: clientId,
    GOOGLE_CLIENT_SECRET: clientSecret,
  };
  return {
    env: settings,
    async script(...script: Fault[]): Promise<void> {
      await (await fetch(`${url}/script/${name}`, { method: "PUT", body: JSON.stringify(script) })).text();
    },
    /** Returns "METHOD /path" of every request since the lane started. */
    async seen(): Promise<string[]> {
      return (await fetch(`${url}/script/${name}`)).json();
    },
  };
}

export function someone(): MailboxOwner {
  return accountOwner(crypto.randomUUID());
}

/** Connects a mailbox through the emulator's pages, as a person would. */
export async function connectMailbox(
  settings: TokenEnv,
  owner: MailboxOwner,
  { account = DEMO, choice = "allow" as "allow" | "deny" | "untick" } = {},
) {
  const params = await walkThroughGoogle(settings, owner, { account, choice });
  return completeConnection(db, settings, { owner, browser: BROWSER, origin: ORIGIN, params });
}

/** Returns the query with which Google redirects the browser back. */
export async function walkThroughGoogle(
  settings: TokenEnv,
  owner: MailboxOwner,
  { account = DEMO, choice = "allow" as "allow" | "deny" | "untick" } = {},
): Promise<URLSearchParams> {
  const started = await startConnection(db, settings, { owner, browser: BROWSER, origin: ORIGIN, mode: "popup" });
  if (!started.ok) throw new Error(started.fault);
  return walkGoogle(settings, started.authUrl, { account, choice });
}

/** Submits Google's consent page at `authUrl` and returns the query of the redirect back. */
export async function walkGoogle(
  settings: TokenEnv,
  authUrl: string,
  { account = DEMO, choice = "allow" as "allow" | "deny" | "untick" } = {},
): Promise<URLSearchParams> {
  const query = new URL(authUrl).searchParams;
  const form = new URLSearchParams(query);
  form.set("email", account);
  form.set("decision", choice === "deny" ? "deny" : "allow");
  if (choice !== "untick") form.set("granted", query.get("scope") ?? "");
  const consent = `${settings.GOOGLE_ISSUER}/o/oauth2/v2/auth/consent`;
  const response = await fetch(consent, { method: "POST", redirect: "manual", body: form });
  await response.body?.cancel();
  return new URL(response.headers.get("Location") ?? "").searchParams;
}

/** Syncs without waiting for real; `waits` collects how long it would have, in ms. */
export function syncQuickly(
  settings: TokenEnv,
  owner: MailboxOwner,
  overrides: Partial<SyncTools> & { waits?: number[] } = {},
) {
  const { waits = [], ...tools } = overrides;
  return syncMailbox(
    db,
    settings,
    owner,
    { type: "initial", maxMessages: 100 },
    {
      random: () => 0.5,
      sleep: async (ms) => {
        waits.push(ms);
      },
      ...tools,
    },
  );
}

/** Syncs the mailboxes that are due, as the dispatcher does, and returns their number. */
export async function syncDue(settings: TokenEnv): Promise<number> {
  const memory = newMailboxMemory();
  let started = 0;
  await startDueMailboxes(db, memory, (owner) => {
    started++;
    return syncDueMailbox(db, settings, owner);
  });
  await untilIdle(memory);
  return started;
}

export async function storedIds(owner: MailboxOwner): Promise<string[]> {
  const rows = await db.select({ id: gmailMessages.id }).from(gmailMessages).where(ownedBy(gmailMessages, owner));
  return rows.map((row) => row.id).sort();
}

/** Calls the emulator past the faults, as the owner of the mailbox. */
export async function asMailboxOwner(
  settings: TokenEnv,
  owner: MailboxOwner,
  path: string,
  body?: object,
): Promise<unknown> {
  const row = await readTokenRow(db, owner);
  const token = await unsealToken(settings, owner, "access", row?.accessToken ?? "");
  const response = await fetch(`${settings.GOOGLE_ISSUER}/gmail/v1/users/me${path}`, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

export async function listedIds(settings: TokenEnv, owner: MailboxOwner, max = 100): Promise<string[]> {
  const page = (await asMailboxOwner(settings, owner, `/messages?maxResults=${max}`)) as { messages: { id: string }[] };
  return page.messages.map((message) => message.id).sort();
}
