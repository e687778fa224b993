import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { changeAccess } from "#app/accounts/staff/account-access.server.ts";
import { users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const context = loadContext();

test("cannot become staff by a sign-up with the address of somebody whom an admin then promotes", async () => {
  const admin = await signedIn("admin");
  const viewer = await readViewer(
    new Request("https://growline.example", { headers: { Cookie: admin.cookie } }),
    context,
  );
  if (!viewer) throw new Error("not signed in");
  const { userId } = await newAccount("customer", "Colleague", null);
  const promote = () =>
    changeAccess(
      context,
      new Request("https://growline.example"),
      viewer,
      userId,
      { kind: "role", role: "agent" },
      { reason: "new", once: crypto.randomUUID() },
    );
  expect(await promote()).toEqual({ ok: false, reason: "email_unconfirmed" });
  await db.update(users).set({ emailConfirmedAt: 1 }).where(eq(users.id, userId));
  expect(await promote()).toEqual({ ok: true });
});
