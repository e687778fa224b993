import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { authSessions, type Role, users } from "#app/db/schema.server.ts";
import { action as act } from "#app/routes/admin/support/conversation-action.ts";
import { loader as loadInbox } from "#app/routes/admin/support/inbox-page.ts";
import { action as updateUser } from "#app/routes/auth/v1/user.ts";
import { db } from "#tests/workerd/customer.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { upgradeSupportSocket } from "#workers/support/sockets/upgrade-socket.ts";
import { recordSecondFactor } from "./auth-sessions.server.ts";
import { readHeldViewer, readViewer, requireHeldViewer, requireRole, requireViewer } from "./viewer.server.ts";

const ORIGIN = "https://growline.example";
const required = loadContext({ env: { ...env, STAFF_SECOND_FACTOR: "required" } });

test.each<Role>(["agent", "admin"])("holds a session of an %s without a second factor at its setup", async (role) => {
  const account = await signedIn(role);
  const request = requestWith(account.cookie);
  expect(await readHeldViewer(request, required)).toMatchObject({ isHeld: true, role: "customer" });
  expect(await readViewer(request, required)).toBeNull();
  const isSetup = (response: Response) => response.headers.get("Location") === "/account/two-step";
  await expect(requireViewer(request, required)).rejects.toSatisfy(isSetup);
  await expect(requireRole(request, required, "agent", "admin")).rejects.toSatisfy(isSetup);
  expect(await requireHeldViewer(request, required)).toMatchObject({ userId: account.userId });
});

test("refuses a held session's calls and sockets with 403", async () => {
  const { cookie } = await signedIn("admin");
  const inbox = loadInbox({ request: requestWith(cookie, "/admin/inbox"), context: required, params: {} });
  await expect(inbox).rejects.toMatchObject({ status: 403 });
  const post = new Request(`${ORIGIN}/admin/support/x/actions`, { method: "POST", headers: { Cookie: cookie } });
  await expect(act({ request: post, context: required, params: { id: "x" } })).rejects.toMatchObject({ status: 403 });
  for (const path of ["/admin/inbox/socket", "/support/sessions/user_somebody/socket"]) {
    const headers = { Cookie: cookie, Upgrade: "websocket", Origin: ORIGIN };
    const response = await upgradeSupportSocket(new Request(`${ORIGIN}${path}`, { headers }), required);
    expect([path, response?.status]).toEqual([path, 403]);
  }
});

test("changes no password and no name of a held session's account", async () => {
  const { userId, email, sessionId } = await signedIn("agent");
  const token = await signAccessToken(env.SESSION_SECRET, { userId, sessionId, email }, Date.now());
  const body = JSON.stringify({ password: "another good password", current_password: PASSWORD });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const request = new Request(`${ORIGIN}/auth/v1/user`, { method: "PUT", headers, body });
  const [before] = await db.select().from(users).where(eq(users.id, userId));
  expect((await updateUser({ request, context: required, params: {} })).status).toBe(403);
  expect((await db.select().from(users).where(eq(users.id, userId)))[0]).toEqual(before);
});

test("releases the session once it has a second factor, and holds the account's other sessions", async () => {
  const account = await signedIn("admin");
  await recordSecondFactor(db, account, "added");
  const request = requestWith(account.cookie);
  expect(await requireRole(request, required, "admin")).toMatchObject({ isHeld: false, role: "admin" });
  await db.update(authSessions).set({ secondFactorAt: null }).where(eq(authSessions.id, account.sessionId));
  expect(await readHeldViewer(request, required)).toMatchObject({ isHeld: true });
});

test("holds nobody where the setting is off, and never a customer", async () => {
  const [admin, customer] = [await signedIn("admin"), await signedIn()];
  const off = loadContext({ env: { ...env, STAFF_SECOND_FACTOR: "off" } });
  expect(await readHeldViewer(requestWith(admin.cookie), off)).toMatchObject({ isHeld: false, role: "admin" });
  expect(await readHeldViewer(requestWith(customer.cookie), required)).toMatchObject({
    isHeld: false,
    role: "customer",
  });
});

test("requires the factor where the setting is missing", async () => {
  const { STAFF_SECOND_FACTOR, ...rest } = env;
  const { cookie } = await signedIn("agent");
  const unset = loadContext({ env: rest as Env });
  expect(STAFF_SECOND_FACTOR).toBe("off");
  expect(await readHeldViewer(requestWith(cookie), unset)).toMatchObject({ isHeld: true });
});

function requestWith(cookie: string, path = "/admin/orders"): Request {
  return new Request(`${ORIGIN}${path}`, { headers: { Cookie: cookie } });
}
