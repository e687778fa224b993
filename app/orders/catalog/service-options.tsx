import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Offer } from "./offers.server.ts";

/** The options of a service select, grouped by category. */
export function ServiceOptions({ offers }: { offers: Offer[] }) {
  const categories = [...new Set(offers.map((offer) => offer.category))];
  return categories.map((category) => (
    <optgroup key={category} label={category}>
      {offers
        .filter((offer) => offer.category === category)
        .map((offer) => (
          <option key={offer.id} value={offer.id}>
            {offer.name}
          </option>
        ))}
    </optgroup>
  ));
}

const USUAL_QUANTITY = 1000;

/** Returns the initial quantity: the usual one, within the limits of the service. */
export function startQuantity(offer: Pick<Offer, "min" | "max">): string {
  return String(Math.min(offer.max, Math.max(offer.min, USUAL_QUANTITY)));
}

export function limitsText(offer: Pick<Offer, "min" | "max">, { number }: Formats): string {
  return `From ${number(offer.min)} to ${number(offer.max)}`;
}
