import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { authSessions, passkeys } from "#app/db/schema.server.ts";
import { action } from "#app/routes/account/two-step.tsx";
import { db } from "#tests/workerd/customer.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const context = loadContext({ env: { ...env, PUBLIC_ORIGIN: ORIGIN, STAFF_SECOND_FACTOR: "required" } });

test.each<Record<string, string>>([
  { intent: "new-codes" },
  { intent: "start-totp" },
  { intent: "remove-passkey", id: "owners" },
])("cannot change factors in a held session with the password alone, where the account has one: %o", async (fields) => {
  const admin = await signedIn("admin");
  const id = `owners ${admin.userId}`;
  await db.insert(passkeys).values({
    id,
    userId: admin.userId,
    publicKey: "AAAA",
    signCount: 0,
    transports: "",
    name: "Owner's key",
    deviceType: "singleDevice",
    backedUp: false,
    isSecondFactor: false,
    createdAt: Date.now(),
  });
  await db.batch(newRecoveryCodes(db, admin.userId).statements);
  const before = await factorsOf(db, admin.userId);
  expect(await readViewer(requestOf(admin), context)).toMatchObject({ isHeld: true });
  const response = await submit(admin, { ...fields, ...(fields.id && { id }) });
  expect(response instanceof Response && response.headers.get("Location")).toMatch(/^\/auth\/second-step/);
  expect(await factorsOf(db, admin.userId)).toEqual(before);
  const [session] = await db.select().from(authSessions).where(eq(authSessions.id, admin.sessionId));
  expect(session?.secondFactorAt).toBeNull();
});

async function submit(account: SignedInAccount, fields: Record<string, string>): Promise<unknown> {
  const request = requestOf(account, new URLSearchParams(fields));
  try {
    return await action({ request, context, params: {} });
  } catch (thrown) {
    return thrown;
  }
}

function requestOf({ cookie }: SignedInAccount, body?: URLSearchParams): Request {
  return new Request(`${ORIGIN}/account/two-step`, {
    method: body ? "POST" : "GET",
    headers: { Cookie: cookie },
    body,
  });
}
