import type { OrderEvent } from "../../scripts/plan-orders.ts";
import type { Handlers } from "../actor.ts";
import type { Customer, World } from "../open-world.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";
import { createKey, shownKey } from "./api-key.ts";
import { callPanel } from "./order-customer.ts";

/** A key that its owner ended, and the product confirmed it. Times in simulated ms since the script's beginning. */
export type EndedKey = { value: string; customer: Customer; by: "revocation" | "rotation"; at: number };
export type KeyWorld = {
  ended: EndedKey[];
  /** Keys that worked although they had just been revoked. */
  survivors: string[];
  handlers: Handlers<Extract<OrderEvent, { kind: "end_key" }>>;
};

const PAGE = "/dashboard/api";

/** Customers who revoke and rotate API keys while their programs use them. */
export function openKeys(site: Site, world: World): KeyWorld {
  const ended: EndedKey[] = [];
  const survivors: string[] = [];
  return {
    ended,
    survivors,
    handlers: {
      async end_key({ customer: index, key: slot, by }) {
        const customer = world.customers[index];
        const old = customer?.keys[slot];
        if (!customer || !old || customer.hasLeft) return;
        if (by === "rotation") {
          const page = await persist(site, async () => {
            const { status, html } = await customer.person.submit(PAGE, { intent: "rotate-key", id: old.id });
            return status < 500 ? html : null;
          });
          const next = page === null ? null : await shownKey(site, customer.userId, page);
          if (next) {
            customer.keys[slot] = next;
            ended.push({ value: old.value, customer, by, at: world.now() });
            site.count("key rotated");
            return;
          }
          // The response with the new key was lost. The owner makes another and leaves the old one alone.
        }
        const next = await persist(site, () => createKey(site, customer));
        if (!next) return;
        customer.keys[slot] = next;
        if (by === "rotation") return;
        const callWithOld = () => callPanel(site, { ...customer, keys: [old] }, { action: "balance" });
        // The product may remember a key that was just used.
        await callWithOld();
        const isRevoked = await persist(site, async () => {
          const { status } = await customer.person.submit(PAGE, { intent: "revoke-key", id: old.id });
          return status === 200 || status === 404 ? true : null;
        });
        if (!isRevoked) return;
        if (JSON.stringify(await callWithOld()).includes("balance")) survivors.push(old.value);
        ended.push({ value: old.value, customer, by, at: world.now() });
        site.count("key revoked");
      },
    },
  };
}
