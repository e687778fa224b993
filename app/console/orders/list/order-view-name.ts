import type { OrderStatus } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import type { OrderView } from "./order-views.server.ts";

/** Names of the views that staff choose from. A view that is an order status has the status's name. */
const ORDER_VIEW_NAMES: Record<Exclude<OrderView, OrderStatus>, string> = {
  held: "Held",
  manual: "Manual",
  open: "Open",
  all: "All",
};

export function orderViewName(view: OrderView): string {
  return ownValue(ORDER_VIEW_NAMES, view) ?? view;
}
