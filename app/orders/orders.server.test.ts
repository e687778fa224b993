import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { signUp } from "#app/accounts/accounts.server.ts";
import { connect } from "#app/db/db.server.ts";
import { services } from "#app/db/schema.server.ts";
import { credit, readBalance } from "./ledger.server.ts";
import { MICRO } from "./money.ts";
import { placeOrder } from "./orders.server.ts";

const db = connect(env.DB);

test("fifty parallel orders of 100 on a balance of 1,000 accept exactly ten", async () => {
  const userId = await customerWith(1000 * MICRO);
  const serviceId = await serviceAt(100 * MICRO);
  const placed = await Promise.all(
    Array.from({ length: 50 }, () =>
      placeOrder(db, userId, {
        serviceId,
        fields: { link: "https://instagram.com/p/1", quantity: "1000" },
        idempotencyKey: null,
        source: "api",
      }),
    ),
  );
  expect(placed.filter((result) => result.ok)).toHaveLength(10);
  expect(placed.filter((result) => !result.ok && result.fault.reason === "insufficient_funds")).toHaveLength(40);
  expect(await readBalance(db, userId)).toBe(0);
});

async function customerWith(balance: number): Promise<string> {
  const made = await signUp(db, {
    email: `${crypto.randomUUID()}@test.example`,
    password: "a long password",
    fullName: "",
  });
  if (!made.ok) throw new Error(made.reason);
  await credit(db, made.userId, { kind: "topup", amount: balance, note: "test" });
  return made.userId;
}

async function serviceAt(rate: number): Promise<number> {
  const [service] = await db
    .insert(services)
    .values({ network: "Instagram", category: "Likes", name: "Likes", rate, min: 10, max: 100_000 })
    .returning();
  if (!service) throw new Error("no service");
  return service.id;
}
