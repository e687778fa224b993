import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { actorOf, asStaff } from "#app/accounts/session/viewer.server.ts";
import { adjustBalance } from "#app/console/customers/customer-admin.server.ts";
import { authSessions, wallets } from "#app/db/schema.server.ts";
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
  const request = new Request("https://growline.example/admin/customers/1?tab=ledger", { method: "POST" });
  const refused = await asStaff(request, { userId, sessionId, fullName: "Ada", email: "ada@growline.example" }, (by) =>
    adjustBalance(db, by, customer, { kind: "topup", amount: 5, reason: "" }, crypto.randomUUID()),
  ).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Response);
  expect((refused as Response).status).toBe(302);
  expect((refused as Response).headers.get("Location")).toBe(
    "/auth/login?redirectTo=%2Fadmin%2Fcustomers%2F1%3Ftab%3Dledger",
  );
  expect(await db.select({ balance: wallets.balance }).from(wallets).where(eq(wallets.userId, customer))).toEqual([
    { balance: 5 },
  ]);
});
