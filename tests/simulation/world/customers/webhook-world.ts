import type { Wants, WebhookEvent } from "../../scripts/plan-webhooks.ts";
import type { Handlers } from "../actor.ts";
import type { Customer, World } from "../open-world.ts";
import type { WorldReceiver } from "../outside/world-receiver.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";

/** A webhook that its customer knows the secret of. Times in simulated ms since the script's beginning. */
export type Webhook = {
  path: string;
  customer: Customer;
  wants: Wants;
  /** The newest is last. */
  secrets: { value: string; since: number }[];
  since: number;
  /** Real ms between which it was registered. */
  created: { from: number; to: number };
  /** Deleted, or perhaps. */
  endedAt: number | null;
};
export type WebhookWorld = {
  webhooks: Webhook[];
  receiver: WorldReceiver;
  handlers: Handlers<WebhookEvent>;
};

const PAGE = "/dashboard/api";
const SECRET = /whsec_[\w+/=]+/;

/** Customers who have the ends of their orders sent to a server of theirs. */
export function openWebhooks(site: Site, world: World, receiver: WorldReceiver): WebhookWorld {
  receiver.setClock(world.now);
  const byName = new Map<string, Webhook>();

  /** Returns null in a product without webhooks. */
  async function idOf({ path, customer }: Webhook): Promise<string | null> {
    const found = site.query<{ id: string }>(
      "select id from webhook_endpoints where user_id = ? and url = ?",
      customer.userId,
      receiver.url + path,
    );
    return (await found.catch(() => []))[0]?.id ?? null;
  }

  return {
    get webhooks() {
      return [...byName.values()];
    },
    receiver,
    handlers: {
      async webhook({ name, customer: index, wants, outages }) {
        const customer = world.customers[index];
        if (!customer || customer.hasLeft) return;
        const from = Date.now();
        let tries = 0;
        // After a lost response there may be a webhook whose secret nobody knows: the next has a path of its own.
        const created = await persist(site, async () => {
          const path = `/${name}.${tries++}.${customer.person.canary}`;
          receiver.listen(path, outages);
          const { status, html } = await customer.person.submit(PAGE, {
            intent: "create-webhook",
            url: receiver.url + path,
            ...(wants !== "catalog" && { wantsOrders: "on" }),
            ...(wants !== "orders" && { wantsCatalog: "on" }),
          });
          if (status >= 500) return null;
          return { path, secret: SECRET.exec(html)?.[0] };
        });
        if (!created?.secret) return;
        const since = world.now();
        const secrets = [{ value: created.secret, since }];
        byName.set(name, {
          path: created.path,
          customer,
          wants,
          secrets,
          since,
          created: { from, to: Date.now() },
          endedAt: null,
        });
        site.count("webhook registered");
      },
      async change_webhook({ webhook: name, by }) {
        const webhook = byName.get(name);
        const id = webhook && (await idOf(webhook));
        if (!webhook || !id || webhook.customer.hasLeft) return;
        const { person } = webhook.customer;
        if (by === "deletion") {
          webhook.endedAt = world.now();
          await persist(site, async () => {
            const { status } = await person.submit(PAGE, { intent: "delete-webhook", id });
            return status < 500 ? true : null;
          });
          return;
        }
        const { html } = await person.submit(PAGE, { intent: "rotate-secret", id }).catch(() => ({ html: "" }));
        const value = SECRET.exec(html)?.[0];
        if (value) webhook.secrets.push({ value, since: world.now() });
      },
    },
  };
}
