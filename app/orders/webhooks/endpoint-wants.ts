import type { WebhookEvent } from "#app/db/schema.server.ts";

/** What an endpoint gets. At least one of them. */
export type EndpointWants = { wantsOrders: boolean; wantsCatalog: boolean };

export const WANTS_OF_NEW_ENDPOINT: EndpointWants = { wantsOrders: true, wantsCatalog: false };

export const WANT_TEXTS: { name: keyof EndpointWants; label: string; help: string }[] = [
  {
    name: "wantsOrders",
    label: "Orders and balance",
    help: "An order is completed, partial or canceled, or your balance is low.",
  },
  {
    name: "wantsCatalog",
    label: "Catalog changes",
    help: "Services are added, change their price or terms, or go off sale.",
  },
];

/** Which want an event belongs to. Null: sent to any endpoint. */
export const WANT_OF_EVENT: Record<WebhookEvent, keyof EndpointWants | null> = {
  "order.completed": "wantsOrders",
  "order.partial": "wantsOrders",
  "order.canceled": "wantsOrders",
  "balance.low": "wantsOrders",
  "service.changed": "wantsCatalog",
  "webhook.test": null,
};

export function isWanted(event: WebhookEvent, wants: EndpointWants): boolean {
  const want = WANT_OF_EVENT[event];
  return want === null || wants[want];
}
