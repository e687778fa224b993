import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN } from "#tests/workerd/support-visitor.ts";

test("shows how many orders are waiting in the console's navigation on every page", async () => {
  const { cookie } = await signedIn("agent", "Bo");
  const waiting = async (path: string) => {
    const page = await (await SELF.fetch(ORIGIN + path, { headers: { Cookie: cookie } })).text();
    return /href="\/admin\/orders">Orders(?:<span[^>]*>(\d+)<)?/.exec(page)?.[1] ?? "nothing";
  };
  for (const path of ["/admin", "/admin/replies"]) expect(await waiting(path)).toBe("nothing");
  const { userId } = await customerWith(5_000_000);
  const fields = { link: "https://instagram.com/growline", quantity: "100" };
  const placed = await placeOrder(db, userId, {
    serviceId: await service(),
    fields,
    idempotencyKey: null,
    source: "web",
  });
  expect(placed.ok).toBe(true);
  await db.update(orders).set({ fulfillment: "held" });
  for (const path of ["/admin", "/admin/replies"]) expect(await waiting(path), path).toBe("1");
});
