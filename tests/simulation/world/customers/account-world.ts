import type { AccountEvent } from "../../scripts/plan-accounts.ts";
import type { Handlers } from "../actor.ts";
import { sendFile } from "../chat-file.ts";
import type { Customer, World } from "../open-world.ts";
import { type Person, visitor } from "../people.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";

const FOUND = 302;
const TOO_MANY = 429;

/** An account whose deletion was confirmed. Times in simulated ms since the script's beginning. */
export type DeletedAccount = { customer: Customer; index: number; cookie: string; at: number };
export type AccountWorld = {
  deleted: DeletedAccount[];
  /** Cookies of sessions that ended, and which may do nothing. */
  endedCookies: { cookie: string; why: string }[];
  passwordChanges: { email: string; at: number }[];
  /** Sessions that worked although they had ended. */
  survivors: string[];
  handlers: Handlers<Exclude<AccountEvent, { kind: "pry" }>>;
};

/** Customers whose sessions end, and who delete their accounts, while everything else goes on. */
export function openAccounts(site: Site, world: World): AccountWorld {
  const deleted: DeletedAccount[] = [];
  const endedCookies: AccountWorld["endedCookies"] = [];
  const survivors: string[] = [];
  const passwordChanges: AccountWorld["passwordChanges"] = [];

  async function noteEnd(cookie: string, why: string): Promise<void> {
    endedCookies.push({ cookie, why });
    if (await worksWith(site, cookie)) survivors.push(`${why}, at once`);
    site.count(`session ended by ${why}`);
  }

  async function logOut(customer: Customer): Promise<void> {
    const { person } = customer;
    const cookie = person.cookie();
    customer.logOuts.begun++;
    const left = await person.submit("/logout", {}).catch(() => null);
    if (left?.status === FOUND) await noteEnd(cookie, "log-out");
    // Whatever happened, the customer comes back.
    await persist(site, () => logIn(person));
    customer.logOuts.over++;
  }

  async function changePassword(customer: Customer): Promise<void> {
    const { person } = customer;
    const elsewhere: Person = { ...visitor(site, person), email: person.email, password: person.password };
    if (!(await logIn(elsewhere).catch(() => null))) return;
    const next = crypto.randomUUID();
    const fields = { intent: "password", current: person.password, next };
    const page = await person.submit("/dashboard/account", fields).catch(() => null);
    if (page && page.status < 500 && page.status !== 200) return;
    if (page?.status === 200) {
      customer.person = { ...person, password: next };
      passwordChanges.push({ email: person.email, at: world.now() });
      await noteEnd(elsewhere.cookie(), "password change");
      return;
    }
    // The response was lost. The new password works, or is refused. A failed log-in says neither, each wrong password counts
    // against the account, and a log-in with a live session is redirected whatever its password.
    const loggedOut = visitor(site, person);
    const isChanged = await persist(site, async () => {
      const { status } = await loggedOut.submit("/auth/login", { email: person.email, password: next });
      return status >= 500 || status === TOO_MANY ? null : status === FOUND;
    });
    if (isChanged) customer.person = { ...person, password: next };
  }

  async function endOthers({ person }: Customer): Promise<void> {
    const elsewhere: Person = { ...visitor(site, person), email: person.email, password: person.password };
    if (!(await logIn(elsewhere).catch(() => null))) return;
    const page = await person.submit("/dashboard/account", { intent: "end-others" }).catch(() => null);
    if (page?.status === 200) await noteEnd(elsewhere.cookie(), "log-out elsewhere");
  }

  return {
    deleted,
    endedCookies,
    survivors,
    passwordChanges,
    handlers: {
      async end_session({ customer: index, by }) {
        const customer = world.customers[index];
        if (!customer || customer.hasLeft) return;
        if (by === "log-out") await logOut(customer);
        else if (by === "password change") await changePassword(customer);
        else await endOthers(customer);
      },
      async delete_account({ customer: index }) {
        const customer = world.customers[index];
        if (!customer || customer.hasLeft) return;
        const { person, userId } = customer;
        if (await sayGoodbye(site, person, userId).catch(() => false)) site.count("file left behind");
        const cookie = person.cookie();
        customer.hasLeft = true;
        const isDeleted = await persist(site, async () => {
          const { status, location } = await person.submit("/account/delete", { password: person.password });
          if (status >= 500) return null;
          // Logged out by an attempt whose response was lost.
          return location === "/" || (location?.startsWith("/auth") ?? false);
        });
        if (!isDeleted) return;
        deleted.push({ customer, index, cookie, at: world.now() });
        await noteEnd(cookie, "account deletion");
      },
    },
  };
}

/** Returns whether a page of the dashboard opens with the cookie. */
export async function worksWith(site: Site, cookie: string): Promise<boolean> {
  const response = await site.fetch("/dashboard/account", { headers: { Cookie: cookie } }, null).catch(() => null);
  return response?.status === 200;
}

async function logIn(person: Person): Promise<true | null> {
  const { email, password } = person;
  const { status } = await person.submit("/auth/login", { email, password });
  return status === FOUND ? true : null;
}

/** Leaves a conversation behind, with the person's canary in it and in a file. */
async function sayGoodbye(site: Site, person: Person, userId: string): Promise<boolean> {
  await person.post("/support/session", { name: person.canary });
  const message = { clientId: crypto.randomUUID(), body: `Goodbye from ${person.canary}` };
  const room = `user_${userId}`;
  await person.post(`/support/sessions/${room}/messages`, message);
  return (await sendFile(site, person, room, { name: "goodbye.png", bytes: 1000, copies: 1 })) !== null;
}
