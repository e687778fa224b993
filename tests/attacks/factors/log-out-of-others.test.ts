import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { STEP_UP_MS } from "#app/accounts/step-up/recent-proof.server.ts";
import { authSessions, type Role } from "#app/db/schema.server.ts";
import { action } from "#app/routes/auth/v1/logout.ts";
import { db } from "#tests/workerd/customer.ts";
import { sessionCookie, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const context = loadContext({ env: { ...env, STAFF_SECOND_FACTOR: "required" } });

for (const scope of ["others", "global"]) {
  test(`cannot log staff out with their password alone: scope ${scope}`, async () => {
    const { owner, thief } = await ownerAndThief("admin", Date.now());
    const response = await logOut(thief, scope);
    expect(response.status).toBe(scope === "others" ? 403 : 204);
    expect((await listSessions(db, owner.userId)).map(({ id }) => id)).toContain(owner.sessionId);
  });
}

test("cannot log the owner out with a session that was verified long ago", async () => {
  const { owner, thief } = await ownerAndThief("customer", null);
  await db
    .update(authSessions)
    .set({ verifiedAt: Date.now() - STEP_UP_MS })
    .where(eq(authSessions.userId, owner.userId));
  const response = await logOut(thief, "others");
  expect([response.status, await response.json()]).toMatchObject([400, { error_code: "reauthentication_needed" }]);
  expect(await listSessions(db, owner.userId)).toHaveLength(2);
  // That ends the session of the thief too.
  expect((await logOut(thief, "global")).status).toBe(204);
  expect(await listSessions(db, owner.userId)).toEqual([]);
});

async function ownerAndThief(role: Role, secondFactorAt: number | null) {
  const owner = await signedIn(role);
  await db.update(authSessions).set({ secondFactorAt }).where(eq(authSessions.id, owner.sessionId));
  return { owner, thief: await sessionCookie(owner.userId) };
}

function logOut(cookie: string, scope: string): Promise<Response> {
  const url = `https://growline.example/auth/v1/logout?scope=${scope}`;
  return action({
    request: new Request(url, { method: "POST", headers: { Cookie: cookie } }),
    context,
    params: {},
  });
}
