import type { Db } from "#app/db/db.server.ts";
import { listServices } from "./catalogue.server.ts";
import { fieldsOf, isPerOrder } from "./order-request.ts";

export type Offer = Awaited<ReturnType<typeof listOffers>>[number];

/** The live catalogue with what an order form must know of each service, worked out here so that no page loads the rules. */
export async function listOffers(db: Db) {
  const services = await listServices(db);
  return services
    .filter((service) => service.type !== "Subscriptions")
    .map((service) => {
      const { quantity, runs, needs } = fieldsOf(service);
      const perOrder = isPerOrder(service.type);
      // Where a list says how many, the last list does: "Comment Replies" counts its comments.
      const counted = quantity || perOrder ? undefined : needs.findLast((need) => need.kind === "lines");
      return { ...service, perOrder, asksQuantity: quantity, asksRuns: runs, needs, countedBy: counted?.name ?? null };
    });
}
