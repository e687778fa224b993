import { expect, test } from "vitest";
import { CHECKOUT_STATUSES, type CheckoutStatus, checkouts } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { deleteUnpaidCheckouts, UNPAID_CHECKOUT_DAYS } from "./unpaid-checkouts.server.ts";

test("deletes old checkouts without a payment, and no others", async () => {
  const now = Date.now();
  const old = now - (UNPAID_CHECKOUT_DAYS + 1) * DAY_MS;
  const row = (status: CheckoutStatus, createdAt: number) => {
    const id = `${status} ${createdAt === old ? "old" : "new"}`;
    return { id, userId: "ada", amount: 1, status, createdAt, updatedAt: createdAt };
  };
  await db.insert(checkouts).values(CHECKOUT_STATUSES.map((status) => row(status, old)));
  await db.insert(checkouts).values([row("open", now)]);
  await deleteUnpaidCheckouts(db, now);
  const left = await db.select({ id: checkouts.id }).from(checkouts);
  expect(left.map(({ id }) => id).sort()).toEqual(["open new", "paid old", "pending old", "refused old", "review old"]);
});
