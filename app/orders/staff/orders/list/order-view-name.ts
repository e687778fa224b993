import type { OrderView } from "./order-views.server.ts";

/** Names of the views that staff choose from. A view that is an order status has the status's name. */
const ORDER_VIEW_NAMES: Partial<Record<OrderView, string>> = {
  held: "Held",
  manual: "Manual",
  open: "Open",
  all: "All",
};

export function orderViewName(view: OrderView): string {
  return ORDER_VIEW_NAMES[view] ?? view;
}
