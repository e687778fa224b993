import type { AccountEvent, Prying } from "../../scripts/plan-accounts.ts";
import type { Handlers } from "../actor.ts";
import type { Customer, World } from "../open-world.ts";
import type { Site } from "../site.ts";
import { callPanel } from "./order-customer.ts";

export type PryingWorld = {
  /** Things that somebody got or did with another's ids. */
  successes: { what: Prying; response: unknown }[];
  handlers: Handlers<Extract<AccountEvent, { kind: "pry" }>>;
};

/** Customers who try other customers' ids. What they read is checked for canaries like every response. */
export function openPrying(site: Site, world: World): PryingWorld {
  const successes: PryingWorld["successes"] = [];
  return {
    successes,
    handlers: {
      async pry({ customer, victim, by }) {
        const thief = world.customers[customer];
        const owner = world.customers[victim];
        if (!thief || !owner || thief.hasLeft || owner.hasLeft) return;
        const response = await pry(site, thief, owner, by).catch(() => null);
        if (response === null) return;
        site.count("prying refused");
        if (response !== "refused") successes.push({ what: by, response });
      },
    },
  };
}

/** Returns "refused", the response that was not a refusal, or null if there was nothing to pry into. */
async function pry(site: Site, thief: Customer, owner: Customer, what: Prying): Promise<unknown> {
  const idOf = async (table: string, column = "user_id") => {
    const rows = site.query<{ id: number | string }>(
      `select id from ${table} where ${column} = ? order by random() limit 1`,
      owner.userId,
    );
    return (await rows.catch(() => []))[0]?.id ?? null;
  };
  const page = async (path: string) => {
    const { status } = await thief.person.get(path);
    return status === 200 ? status : "refused";
  };
  const form = async (fields: Record<string, string>, path = "/dashboard/api") => {
    const { status, html } = await thief.person.submit(path, fields);
    return status === 200 ? html.slice(0, 300) : "refused";
  };
  /** An error, alone or in the entry of a list, refuses. */
  const panel = async (fields: Record<string, string>) => {
    const body = await callPanel(site, thief, fields);
    return body === null || /"error":/.test(JSON.stringify(body)) ? "refused" : body;
  };
  const tables: Partial<Record<Prying, string>> = {
    "refill status": "refills",
    "mass order": "mass_orders",
    receipt: "ledger",
    checkout: "checkouts",
    webhook: "webhook_endpoints",
    "API key": "api_keys",
  };
  const id = what === "conversation" ? owner.userId : await idOf(tables[what] ?? "orders");
  if (id === null) return null;
  switch (what) {
    case "order page":
      return page(`/dashboard/orders/${id}`);
    case "order status":
      return panel({ action: "status", order: String(id) });
    case "order cancellation":
      return panel({ action: "cancel", orders: String(id) });
    case "order refill":
      return panel({ action: "refill", order: String(id) });
    case "refill status":
      return panel({ action: "refill_status", refill: String(id) });
    case "mass order":
      return page(`/dashboard/orders/mass/${id}`);
    case "receipt":
      return page(`/dashboard/transactions/${id}`);
    case "checkout": {
      // The page opens, without the payment.
      const response = await thief.person.get(`/dashboard/top-up?checkout=${id}`);
      return /added to your balance\. Thank you|yet\. We|credit this payment/.test(await response.text())
        ? 200
        : "refused";
    }
    case "conversation":
      return page(`/support/sessions/user_${id}/messages?since=0`);
    case "webhook":
      return form({ intent: "rotate-secret", id: String(id) });
    case "API key":
      return form({ intent: "revoke-key", id: String(id) });
  }
}
