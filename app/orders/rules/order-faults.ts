import { formatsOf } from "#app/components/formats/number-formats.ts";
import { unseenLinkText } from "./links/link-text.ts";
import type { OrderRefusal } from "./order-input.ts";

/** Says why a link may be wrong. */
export function doubtText({ read, takes }: { read: string; takes: string }): string {
  return `This looks like ${read}. This service takes ${takes}.`;
}

/** Returns the text for a refused order and the field it belongs to, or null for the form as a whole. */
export function faultMessage(fault: OrderRefusal): { field: string | null; text: string } {
  switch (fault.reason) {
    case "invalid_field":
      return { field: fault.field, text: fault.text };
    case "bad_link":
      if (fault.seenBefore !== undefined) return { field: "link", text: unseenLinkText(fault.seenBefore) };
      if (fault.takes) return { field: "link", text: `Paste a link to ${fault.takes}` };
      return { field: "link", text: "Enter the full public link, like https://instagram.com/p/…" };
    case "doubtful_link":
      return { field: "link", text: `${doubtText(fault)} Check the link, or confirm it below.` };
    case "quantity_too_small":
      return { field: "quantity", text: `The minimum for this service is ${fault.min.toLocaleString("en-US")}` };
    case "quantity_too_large":
      return { field: "quantity", text: `The maximum for this service is ${fault.max.toLocaleString("en-US")}` };
    case "unknown_service":
      return { field: "service", text: "This service is no longer available. Choose another one" };
    case "insufficient_funds":
      return { field: null, text: "Your balance doesn't cover this order. Nothing was charged." };
    case "maintenance":
      return { field: null, text: maintenanceText(fault.text) };
    case "charge_above_max":
      return { field: null, text: newPriceText(fault) };
    case "daily_cap_reached":
      return { field: null, text: "The daily cap of this API key doesn't cover this order. Nothing was charged." };
    case "idempotency_conflict":
      return {
        field: null,
        text: "You already placed this form with different content. That order is in the list below. Place it again to order this too.",
      };
    default:
      return fault satisfies never;
  }
}

/** Says that nothing is ordered now. `text` is the operator's own. */
export function maintenanceText(text: string): string {
  return `New orders are paused for maintenance. Nothing was charged. ${text}`;
}

function newPriceText({ charge, max }: { charge: number; max: number | null }): string {
  const { exactMoney } = formatsOf("en-US");
  const change = max === null ? "" : ` from ${exactMoney(max)}`;
  return `The price of this order changed${change} to ${exactMoney(charge)}. Nothing was charged. To pay the new price, place it again.`;
}
