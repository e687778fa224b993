import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { authSessions } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { hasRecentProof, requireRecentProof, STEP_UP_MS } from "./recent-proof.server.ts";

const request = new Request("https://growline.example/admin/orders/1?tab=refund", { method: "POST" });

test("is satisfied for ten minutes", () => {
  expect(hasRecentProof({ verifiedAt: 0 }, STEP_UP_MS - 1)).toBe(true);
  expect(hasRecentProof({ verifiedAt: 0 }, STEP_UP_MS)).toBe(false);
});

test("redirects to the page that asks, and leads back to the page of the request or to the given one", () => {
  requireRecentProof(request, { verifiedAt: Date.now() });
  expect(locationOf(() => requireRecentProof(request, { verifiedAt: 0 }))).toBe(
    "/auth/verify?redirectTo=%2Fadmin%2Forders%2F1%3Ftab%3Drefund",
  );
  expect(locationOf(() => requireRecentProof(request, { verifiedAt: 0 }, "/dashboard/account"))).toBe(
    "/auth/verify?redirectTo=%2Fdashboard%2Faccount",
  );
});

test("counts the password that another form asks for as a proof, if it is right", async () => {
  const viewer = await signedIn();
  const context = loadContext();
  const changeTo = (password: string) =>
    requestEmailChange(context, request, viewer, { newEmail: `${crypto.randomUUID()}@test.example`, password });
  await age(viewer.sessionId);
  expect(await changeTo("wrong password")).toMatchObject({ ok: false });
  expect(await isRecent(viewer.sessionId)).toBe(false);
  expect(await changeTo(PASSWORD)).toMatchObject({ ok: true });
  expect(await isRecent(viewer.sessionId)).toBe(true);

  await age(viewer.sessionId);
  const change = { current: PASSWORD, next: "another good password" };
  expect(await changePassword(context, request, viewer, change)).toMatchObject({ ok: true });
  expect(await isRecent(viewer.sessionId)).toBe(true);
});

function locationOf(guard: () => void): string | null {
  try {
    guard();
  } catch (thrown) {
    if (thrown instanceof Response) return thrown.headers.get("Location");
    throw thrown;
  }
  return null;
}

async function age(sessionId: string): Promise<void> {
  await db.update(authSessions).set({ verifiedAt: 0 }).where(eq(authSessions.id, sessionId));
}

async function isRecent(sessionId: string): Promise<boolean> {
  const [session] = await db.select().from(authSessions).where(eq(authSessions.id, sessionId));
  return session !== undefined && hasRecentProof(session);
}
