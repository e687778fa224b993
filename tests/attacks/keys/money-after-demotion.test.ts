import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { actorOf } from "#app/accounts/session/viewer.server.ts";
import { authSessions, wallets } from "#app/db/schema.server.ts";
import { adjustBalance } from "#app/orders/staff/customers/customer-admin.server.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

test("a request in flight moves no money once its staff session has ended, as by a demotion", async () => {
  const { userId: customer } = await customerWith(0);
  const { userId, sessionId } = await signedIn();
  const actor = actorOf({ userId, sessionId, fullName: "Ada", email: "ada@growline.example" });
  const credit = () =>
    adjustBalance(db, actor, customer, { kind: "topup", amount: 5, reason: "" }, crypto.randomUUID());
  expect(await credit()).toEqual({ ok: true, balance: 5 });
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, sessionId));
  await expect(credit()).rejects.toThrow();
  expect(await db.select({ balance: wallets.balance }).from(wallets).where(eq(wallets.userId, customer))).toEqual([
    { balance: 5 },
  ]);
});
