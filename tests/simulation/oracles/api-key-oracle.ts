import { DAY } from "../scripts/simulated-durations.ts";
import type { KeyWorld } from "../world/customers/api-key-world.ts";
import { callPanel } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import type { Site } from "../world/site.ts";
import type { Violation } from "./violation.ts";

/** "A revoked key stops working right away; a replaced key works for 24 hours more" (/docs/api). */
export async function judgeKeys(site: Site, world: World, { ended, survivors }: KeyWorld): Promise<Violation[]> {
  const violations = survivors.map(
    (value): Violation => ({ rule: "an ended key acts no more", subject: value, world: "at once", product: null }),
  );
  for (const { value, customer, by, at } of ended) {
    if (customer.hasLeft) continue;
    const age = world.now() - at;
    const shouldWork = by === "rotation" && age < DAY;
    const body = (await callPanel(site, { ...customer, keys: [{ id: "", value }] }, { action: "balance" })) as {
      balance?: string;
    } | null;
    const works = body?.balance !== undefined;
    if (works === shouldWork) continue;
    const rule = shouldWork ? "a replaced key works for a day" : "an ended key acts no more";
    violations.push({ rule, subject: value.slice(0, 14), world: { by, age }, product: body });
  }
  return violations;
}
