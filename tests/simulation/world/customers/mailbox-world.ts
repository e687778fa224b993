import type { MailboxEvent } from "../../scripts/plan-mailboxes.ts";
import type { Handlers } from "../actor.ts";
import type { Customer, World } from "../open-world.ts";
import { type GoogleGrant, mailboxOf, type WorldGoogle } from "../outside/world-google.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";

/** A customer's mailbox, as far as the product confirmed it. */
export type MailboxState = {
  /** The grant in use, or null. */
  grant: GoogleGrant | null;
  /** Its owner revoked it at Google, or a response was lost: the product may know less or more than the world. */
  isUncertain: boolean;
};
/** A grant that the product confirmed to have ended, at a real time. */
export type EndedGrant = { grant: GoogleGrant; at: number };
export type MailboxWorld = {
  states: Map<number, MailboxState>;
  ended: EndedGrant[];
  /** Consents that didn't connect a mailbox, though Google worked. Real ms since 1970. */
  refusals: { customer: number; result: string; from: number; to: number }[];
  /** Connections that nobody consented to. */
  surprises: { customer: number; what: string; result: string }[];
  google: WorldGoogle;
  handlers: Handlers<MailboxEvent>;
};

const PAGE = "/gmail-sync";
const CONNECTED = "connected";

/** Customers who connect Gmail mailboxes, sync and disconnect them, and change their minds meanwhile. */
export function openMailboxes(site: Site, world: World, google: WorldGoogle): MailboxWorld {
  const states = new Map<number, MailboxState>();
  const ended: EndedGrant[] = [];
  const surprises: MailboxWorld["surprises"] = [];
  const refusals: MailboxWorld["refusals"] = [];
  const busy = new Map<number, Promise<void>>();
  google.setClock(world.now);

  function ownerOf(index: number): { customer: Customer; state: MailboxState } | null {
    const customer = world.customers[index];
    if (!customer || customer.hasLeft) return null;
    const state = states.get(index) ?? { grant: null, isUncertain: false };
    states.set(index, state);
    return { customer, state };
  }

  /** A customer connects and disconnects one thing after the other, while syncs run. */
  function inTurn(index: number, work: () => Promise<void>): Promise<void> {
    const turn = (busy.get(index) ?? Promise.resolve()).then(work).catch(() => undefined);
    busy.set(index, turn);
    return turn;
  }

  async function connect({ customer: index, mailbox, by }: Extract<MailboxEvent, { kind: "connect_mailbox" }>) {
    const owner = ownerOf(index);
    if (!owner) return;
    const { customer, state } = owner;
    const wasLoggedIn = watchLogIn(customer);
    const started = await customer.person.post("/functions/gmail-oauth-auth", { action: "get-auth-url", mode: "page" });
    if (!started.ok) return;
    const { authUrl } = (await started.json()) as { authUrl: string };
    const { query, grant } = await google.consent(authUrl, mailboxOf(index, mailbox), by);
    const wasUncertain = state.isUncertain;
    const before = state.grant;
    const hasOther = before !== null && before.email !== grant.email;
    state.isUncertain = true;
    const from = Date.now();
    const wasFailing = google.isFailing();
    const response = await customer.person.get(`${PAGE}/callback?${query}`);
    const result = new URL(response.headers.get("Location") ?? "/", site.url).searchParams.get("gmail");
    site.count(`mailbox ${by}: ${result ?? response.status}`);
    // Whoever logs out on the way comes back as somebody else: the consent is refused, or a visitor's.
    if (!wasLoggedIn()) return;
    if (result === CONNECTED) {
      if (by !== "consent") surprises.push({ customer: index, what: by, result });
      if (hasOther && !wasUncertain) surprises.push({ customer: index, what: "another mailbox", result });
      state.grant = grant;
      state.isUncertain = false;
    } else if (result !== null) {
      state.isUncertain = wasUncertain;
      const isExplained = google.isFailing() || wasFailing || hasOther || wasUncertain;
      if (by === "consent" && !isExplained) refusals.push({ customer: index, result, from, to: Date.now() });
    }
  }

  return {
    states,
    ended,
    refusals,
    surprises,
    google,
    handlers: {
      connect_mailbox: (event) => inTurn(event.customer, () => connect(event)),
      async sync_mailbox({ customer: index, by, copies }) {
        const owner = ownerOf(index);
        if (!owner) return;
        const { person, userId } = owner.customer;
        const body = { userId, syncType: "initial", maxMessages: 100 };
        await Promise.all(
          Array.from({ length: copies }, async () => {
            const page =
              by === "form"
                ? await person.submit(PAGE, { intent: "sync" }, { mayFail: true }).catch(() => null)
                : await person.post("/functions/gmail-sync", body, { mayFail: true }).catch(() => null);
            site.count(`mailbox sync by ${by}: ${page?.status ?? "lost"}`);
          }),
        );
      },
      async auto_sync({ customer: index, by }) {
        const fields = { intent: "auto-sync", on: by === "on" ? "1" : "0" };
        await ownerOf(index)
          ?.customer.person.submit(PAGE, fields)
          .catch(() => undefined);
      },
      disconnect_mailbox: ({ customer: index }) =>
        inTurn(index, async () => {
          const owner = ownerOf(index);
          if (!owner) return;
          const { customer, state } = owner;
          const wasUncertain = state.isUncertain;
          const wasLoggedIn = watchLogIn(customer);
          state.isUncertain = true;
          const page = await customer.person.submit(PAGE, { intent: "disconnect" }, { mayFail: true });
          site.count(`mailbox disconnected: ${page.status}`);
          if (!wasLoggedIn()) return;
          if (page.status === 302) {
            if (state.grant) ended.push({ grant: state.grant, at: Date.now() });
            state.grant = null;
            state.isUncertain = false;
          } else if (page.status === 503 || page.status === 404) state.isUncertain = wasUncertain;
        }),
      revoke_grant: ({ customer: index, mailbox }) =>
        inTurn(index, async () => {
          const email = mailboxOf(index, mailbox);
          await google.revoke(email);
          const state = ownerOf(index)?.state;
          if (state?.grant?.email === email) state.isUncertain = true;
        }),
      async receive_mail({ customer, mailbox, messages }) {
        for (let n = 0; n < messages; n++) {
          const subject = `new ${crypto.randomUUID()} ${world.customers[customer]?.person.canary}`;
          await google.receive(mailboxOf(customer, mailbox), subject);
        }
      },
      async trash_mail({ customer, mailbox }) {
        await google.trashNewest(mailboxOf(customer, mailbox));
      },
      async google({ by, to }) {
        google.fail(by, to);
      },
    },
  };
}

/** Returns a function that tells whether the customer has been logged in all the time since. */
function watchLogIn({ logOuts }: Customer): () => boolean {
  const { begun, over } = logOuts;
  return () => begun === over && begun === logOuts.begun;
}

/** Syncs until the mailbox is complete. Returns whether it is. */
export async function syncToTheEnd(site: Site, { person, userId }: Customer): Promise<boolean> {
  const body = { userId, syncType: "initial", maxMessages: 100 };
  const isFinished = await persist(site, async () => {
    const response = await person.post("/functions/gmail-sync", body, { mayFail: true });
    const { finished, reason } = (await response.json()) as { finished?: boolean; reason?: string };
    // Another run has it, or Gmail asked for a pause.
    if (reason === "reconnect" || reason === "not_connected") return false;
    return finished === true ? true : null;
  });
  return isFinished === true;
}
