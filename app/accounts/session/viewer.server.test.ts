import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { SESSION_MS } from "#app/accounts/visit/visit.server.ts";
import { audit } from "#app/db/audit.server.ts";
import { connect } from "#app/db/db.server.ts";
import { auditLog, authSessions, profiles, type Role, users } from "#app/db/schema.server.ts";
import { COOKIE_SPELLINGS } from "#tests/workerd/cookie-spellings.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { endSession, TOUCH_MS } from "./auth-sessions.server.ts";
import {
  actorOf,
  asStaff,
  endWebSession,
  forgetWebSession,
  readForViewer,
  readHeldViewer,
  readTokenViewer,
  readViewer,
  requireHeldViewer,
  requireRole,
  requireStaffCall,
  requireViewer,
  sendsSession,
  type Viewer,
  webSessionCookie,
} from "./viewer.server.ts";

const PAGE = "https://growline.example/admin/orders?tab=open";
const TO_LOG_IN = "/auth/login?redirectTo=%2Fadmin%2Forders%3Ftab%3Dopen";
const required = loadContext({ env: { ...env, STAFF_SECOND_FACTOR: "required" } });

afterEach(() => vi.restoreAllMocks());

test("names staff in the audit log by email address if they have no name", () => {
  const viewer: Viewer = {
    userId: "1",
    sessionId: "s",
    email: "ada@shop.example",
    fullName: "",
    role: "admin",
    verifiedAt: 1,
    isHeld: false,
    secondFactorAt: null,
    emailConfirmed: true,
  };
  expect(actorOf(viewer)).toEqual({ userId: "1", name: "ada@shop.example", sessionId: "s" });
  expect(actorOf({ ...viewer, fullName: "Ada" })).toEqual({ userId: "1", name: "Ada", sessionId: "s" });
});

test.each(COOKIE_SPELLINGS)("finds a session where its reader does: cookie %s", async (_, write, isFound) => {
  const { cookie } = await storedSignIn();
  const [name = "", value = ""] = cookie.split(/=(.*)/);
  const request = requestWith({ Cookie: write(name, value) });
  expect((await readHeldViewer(request, loadContext())) !== null).toBe(isFound);
  // Its own name with another value is a session, too, only none that runs.
  expect(sendsSession(request)).toBe(isFound || write(name, value).startsWith(`${name}=`));
});

const SHELL = "Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 Chrome/142 Mobile GrowlineShell";
const BROWSERS: [name: string, userAgent: string, path: string][] = [
  ["our shell", SHELL, "/auth/start"],
  ["another web view", SHELL.replace(" GrowlineShell", ""), "/auth/start"],
  ["another app's browser", SHELL.replace("GrowlineShell", "Instagram 360.0"), "/auth/login"],
  ["a browser", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "/auth/login"],
];

test.for(BROWSERS)(
  "redirects signed-out requests from %s to its sign-in page, with a way back",
  async ([, agent, path]) => {
    const request = new Request(PAGE, { headers: { "User-Agent": agent } });
    const location = (thrown: unknown) => (thrown instanceof Response ? thrown.headers.get("Location") : null);
    const target = `${path}?redirectTo=%2Fadmin%2Forders%3Ftab%3Dopen`;
    const context = loadContext();
    expect(await requireViewer(request, context).catch(location)).toBe(target);
    expect(await requireHeldViewer(request, context).catch(location)).toBe(target);
    expect(await requireRole(request, context, "admin").catch(location)).toBe(target);
    expect(await readForViewer(request, context, () => [db.select().from(users).limit(1)]).catch(location)).toBe(
      target,
    );
  },
);

test("reads who is logged in from the cookie, or else from the access token", async () => {
  const [one, other] = [await storedSignIn(), await storedSignIn("agent")];
  await db.update(users).set({ emailConfirmedAt: null }).where(eq(users.id, one.userId));
  await db.update(authSessions).set({ verifiedAt: 5, secondFactorAt: 6 }).where(eq(authSessions.id, one.sessionId));
  const viewer = {
    userId: one.userId,
    sessionId: one.sessionId,
    email: one.email,
    fullName: "Test Customer",
    role: "customer",
    verifiedAt: 5,
    secondFactorAt: 6,
    isHeld: false,
    emailConfirmed: false,
  };
  const token = await tokenOf(one);
  const forged = one.cookie.replace(/=.{9}/, "=AAAAAAAAA");
  expect(await readViewer(requestWith({ Cookie: one.cookie }), loadContext())).toEqual(viewer);
  expect(await readViewer(requestWith({ Authorization: token }), loadContext())).toEqual(viewer);
  expect(await readViewer(requestWith({ Authorization: token, Cookie: forged }), loadContext())).toEqual(viewer);
  const both = requestWith({ Authorization: token, Cookie: other.cookie });
  expect(await readViewer(both, loadContext())).toMatchObject({
    userId: other.userId,
    role: "agent",
    emailConfirmed: true,
  });
  expect(await readTokenViewer(both, loadContext())).toEqual(viewer);
});

test.for<Record<string, string>>([{}, { Authorization: "Bearer forged" }, { Cookie: "__Host-growline_auth=forged" }])(
  "knows nobody by %o",
  async (headers) => {
    await storedSignIn();
    expect(await readHeldViewer(requestWith(headers), loadContext())).toBeNull();
    expect(await readTokenViewer(requestWith(headers), loadContext())).toBeNull();
    await expect(requireViewer(requestWith(headers), loadContext())).rejects.toSatisfy(leadsTo(TO_LOG_IN));
  },
);

test("reads nobody of a session that has ended", async () => {
  const account = await storedSignIn();
  await endSession(db, account.userId, account.sessionId);
  const headers = { Cookie: account.cookie, Authorization: await tokenOf(account) };
  expect(await readHeldViewer(requestWith(headers), loadContext())).toBeNull();
  expect(await readTokenViewer(requestWith(headers), loadContext())).toBeNull();
  await expect(requireHeldViewer(requestWith(headers), loadContext())).rejects.toSatisfy(leadsTo(TO_LOG_IN));
});

test("notes the use of a session that was unused for more than an hour, and of no other", async () => {
  const [account, other] = [await storedSignIn(), await storedSignIn()];
  const { lastUsedAt } = await rowOf(account.sessionId);
  const read = async (now: number) => {
    const work: Promise<unknown>[] = [];
    vi.spyOn(Date, "now").mockReturnValue(now);
    await readViewer(requestWith({ Cookie: account.cookie }), loadContext({ waitUntil: (one) => void work.push(one) }));
    vi.restoreAllMocks();
    await Promise.all(work);
    return (await rowOf(account.sessionId)).lastUsedAt;
  };
  expect(TOUCH_MS).toBe(3_600_000);
  const others = await rowOf(other.sessionId);
  expect(await read(lastUsedAt + TOUCH_MS)).toBe(lastUsedAt);
  expect(await read(lastUsedAt + TOUCH_MS + 1)).toBe(lastUsedAt + TOUCH_MS + 1);
  expect(await rowOf(other.sessionId)).toEqual(others);
});

const ROLES: [role: Role, allowed: Role[], isLetIn: boolean][] = [
  ["admin", ["admin"], true],
  ["agent", ["agent", "admin"], true],
  ["agent", ["admin"], false],
  ["customer", ["agent", "admin"], false],
];

test.for(ROLES)("lets a %s see what is for %o: %s", async ([role, allowed, isLetIn]) => {
  const { cookie, userId } = await storedSignIn(role);
  const required = requireRole(requestWith({ Cookie: cookie }), loadContext(), ...allowed);
  if (isLetIn) return expect(await required).toMatchObject({ userId, role });
  await expect(required).rejects.toMatchObject({ status: 404, body: null });
});

test("lets staff make calls, and refuses customers with 404 and held sessions with 403", async () => {
  const [agent, customer] = [await storedSignIn("agent"), await storedSignIn()];
  const call = (account: SignedInAccount, context: AppLoadContext) =>
    requireStaffCall(requestWith({ Cookie: account.cookie }), context);
  expect(await call(agent, loadContext())).toMatchObject({ userId: agent.userId, role: "agent" });
  await expect(call(customer, loadContext())).rejects.toMatchObject({ status: 404 });
  await expect(call(agent, required)).rejects.toMatchObject({ status: 403 });
  await expect(requireStaffCall(requestWith({}), required)).rejects.toSatisfy(leadsTo(TO_LOG_IN));
});

test("keeps a session's cookie for as long as a session lasts, and clears it on the way out", async () => {
  const request = requestWith({});
  const set = await webSessionCookie(loadContext(), request, "a session");
  expect(set).toMatch(/^__Host-growline_auth=[^;]+; Max-Age=2592000; /);
  expect(SESSION_MS / 1000).toBe(2_592_000);
  expect(await forgetWebSession(loadContext(), request)).toMatch(/^__Host-growline_auth=[^;]*; Max-Age=0; /);
});

test("logs out the session of the cookie, once, and tells its owner", async () => {
  const [account, other] = [await storedSignIn(), await storedSignIn()];
  const work: Promise<unknown>[] = [];
  const context = loadContext({ waitUntil: (one) => void work.push(one) });
  for (const previousSession of [account.sessionId, account.sessionId, null]) {
    expect(await endWebSession(context, newVisit({ previousSession }))).toContain("Max-Age=0");
  }
  await Promise.all(work);
  expect((await rowOf(account.sessionId)).revokedAt).not.toBeNull();
  expect((await rowOf(other.sessionId)).revokedAt).toBeNull();
  const events = await listSecurityEvents(db, account.userId, { limit: 9 });
  expect(events.map(({ kind }) => kind)).toEqual(["session_ended"]);
});

test("sends no statement when a visitor logs out", async () => {
  const { database, counts } = countedDatabase(env.DB);
  await endWebSession(loadContext({ db: connect(database) }), newVisit());
  expect(counts.queries).toBe(0);
});

test("leads staff whose session has ended meanwhile to the log-in page, and changes nothing", async () => {
  const account = { ...(await storedSignIn("admin")), fullName: "Ada" };
  const request = requestWith({});
  const subject = crypto.randomUUID();
  const change = () =>
    asStaff(request, account, async (actor) => {
      await audit(db, actor, { action: "customer.credit", subject: "customer", subjectId: subject });
      return "changed";
    });
  expect(await change()).toBe("changed");
  await endSession(db, account.userId, account.sessionId);
  await expect(change()).rejects.toSatisfy(leadsTo(TO_LOG_IN));
  expect(await db.select().from(auditLog).where(eq(auditLog.subjectId, subject))).toMatchObject([
    { actorId: account.userId, actorName: "Ada" },
  ]);
  const failing = asStaff(request, account, () => Promise.reject(new Error("D1 is away")));
  await expect(failing).rejects.toThrow("D1 is away");
});

test("shows a new name and role at once", async () => {
  const { cookie, userId } = await storedSignIn();
  await db.update(profiles).set({ fullName: "Grace", role: "agent" }).where(eq(profiles.userId, userId));
  expect(await readViewer(requestWith({ Cookie: cookie }), loadContext())).toMatchObject({
    fullName: "Grace",
    role: "agent",
  });
});

function leadsTo(path: string) {
  return (thrown: unknown) => thrown instanceof Response && thrown.headers.get("Location") === path;
}

async function tokenOf({ userId, sessionId, email }: SignedInAccount): Promise<string> {
  return `Bearer ${await signAccessToken(env.SESSION_SECRET, { userId, sessionId, email }, Date.now())}`;
}

function requestWith(headers: Record<string, string>): Request {
  return new Request(PAGE, { headers });
}

async function rowOf(id: string) {
  const [row] = await db.select().from(authSessions).where(eq(authSessions.id, id));
  if (!row) throw new Error("no session");
  return row;
}
