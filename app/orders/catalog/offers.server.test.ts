import { expect, test } from "vitest";
import { rollups, serviceDays } from "#app/db/schema.server.ts";
import { dayOf } from "#app/orders/delivery/delivery-estimate.ts";
import { refreshServiceTimes } from "#app/orders/delivery/service-times.server.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { readOffer } from "./offers.server.ts";

test("offers a service without delivery times while fewer than ten of its orders are completed", async () => {
  const serviceId = await service();
  await measure(serviceId, { c12: 9, x3: 40 });
  expect((await readOffer(db, serviceId))?.times).toBeNull();
});

test("tells the browser the delivery times of a service, and not how many orders it has", async () => {
  const serviceId = await service();
  await measure(serviceId, { c12: 10, p5: 1, u: 300 });
  const times = (await readOffer(db, serviceId))?.times;
  expect(times).toMatchObject({ completed: 10, partial: 1, canceled: 0, open: 0 });
  expect(Object.keys(times ?? {}).toSorted()).toEqual(["canceled", "completed", "open", "p50Ms", "p90Ms", "partial"]);
});

test("keeps the counts of a service whose orders say too little to name a time", async () => {
  const serviceId = await service();
  await measure(serviceId, { c12: 10, x20: 400 });
  expect((await readOffer(db, serviceId))?.times).toMatchObject({ p50Ms: null, completed: 10, canceled: 400 });
});

test("says what link a service takes, unless it takes any or none", async () => {
  const takesOf = async (...terms: Parameters<typeof service>) => (await readOffer(db, await service(...terms)))?.takes;
  expect(await takesOf({ linkKind: "post", linkCheck: "warn" })).toBe("a post, like https://www.instagram.com/p/…");
  expect(await takesOf({ linkKind: "post", linkCheck: "off" })).toBeNull();
  expect(await takesOf({ linkKind: "profile", linkCheck: "strict", type: "Subscriptions" })).toBeNull();
});

/** Counts orders of today as ended and computes the delivery times. */
async function measure(serviceId: number, ended: Record<string, number>): Promise<void> {
  await db.insert(serviceDays).values({ day: dayOf(Date.now()), serviceId, ended });
  await db.delete(rollups);
  await refreshServiceTimes(db, Date.now());
}
