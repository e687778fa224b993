import type { Offer } from "#app/orders/catalog/offers.server.ts";
import { ownValue } from "#app/own-value.ts";
import type { Filled } from "./quote.ts";

/** Returns what the quote of this service depends on, out of the form's values. */
export function filledOf(
  offer: Pick<Offer, "countedBy" | "asksRuns">,
  values: Record<string, string | undefined>,
): Filled {
  return {
    quantity: values.quantity ?? "",
    list: offer.countedBy ? (ownValue(values, offer.countedBy) ?? "") : "",
    runs: offer.asksRuns ? (values.runs ?? "") : "",
    ...(values.max !== undefined && { max: values.max }),
    ...(values.posts !== undefined && { posts: values.posts }),
    ...(values.old_posts !== undefined && { oldPosts: values.old_posts }),
  };
}
