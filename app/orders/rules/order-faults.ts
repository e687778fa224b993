import type { OrderRefusal } from "./order-input.ts";

/** What the order form says of a refused order, and beside which field; null is the form as a whole. */
export function faultMessage(fault: OrderRefusal): { field: string | null; text: string } {
  switch (fault.reason) {
    case "invalid_field":
      return { field: fault.field, text: fault.text };
    case "bad_link":
      return { field: "link", text: "Give the whole public link, like https://instagram.com/p/…" };
    case "quantity_too_small":
      return { field: "quantity", text: `This service starts at ${fault.min.toLocaleString("en-US")}` };
    case "quantity_too_large":
      return { field: "quantity", text: `This service takes at most ${fault.max.toLocaleString("en-US")}` };
    case "unknown_service":
      return { field: "service", text: "This service is no longer offered. Choose another one" };
    case "insufficient_funds":
      return { field: null, text: "Your balance does not cover this order. Nothing was charged." };
    case "idempotency_conflict":
      return {
        field: null,
        text: "This form was already sent once with other content; that order is in the list below. Send it again to place this one too.",
      };
    default:
      return fault satisfies never;
  }
}
