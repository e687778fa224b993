import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { checkCredentials, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const db = connect(env.DB);
const NEXT = "another good password";
const context = loadContext({ env: withoutDispatcher(env) });
/** In `npm run test:all`, more than may wait for their hash. */
const LOG_INS = atScale(10, 38);

test("starts no session for a password that changed while it was checked", async () => {
  const { userId, email } = await newAccount();
  const sessionId = await startSession(db, { userId });
  // The old password is found correct, then it changes, then the session would start.
  const slow = changedBeforeSession(async () => {
    const changed = await changePassword(
      context,
      post(),
      { userId, email, sessionId },
      { current: PASSWORD, next: NEXT },
    );
    expect(changed).toEqual({ ok: true });
  });
  const late = await logIn({ ...context, db: slow }, post(), { email, password: PASSWORD });
  expect(late).toMatchObject({ ok: false, status: 400, code: "invalid_credentials" });
  expect((await listSessions(db, userId)).map(({ id }) => id)).toEqual([sessionId]);
  expect(await checkCredentials(db, { email, password: NEXT })).toMatchObject({ ok: true });
});

test("leaves no session of log-ins in parallel with a password change", async () => {
  const { userId, email } = await newAccount();
  const sessionId = await startSession(db, { userId });
  const [changed, ...others] = await Promise.all([
    changePassword(context, post(), { userId, email, sessionId }, { current: PASSWORD, next: NEXT }),
    ...Array.from({ length: LOG_INS }, (_, at) =>
      logIn(context, post(`198.51.100.${at}`), { email, password: PASSWORD }),
    ),
  ]);
  expect(changed).toEqual({ ok: true });
  // The line of hashes is bounded and refuses the rest; the others had the right password when they arrived.
  expect(others.filter((other) => !other.ok && other.status === 429).length).toBeLessThan(LOG_INS);
  expect((await listSessions(db, userId)).map(({ id }) => id)).toEqual([sessionId]);
});

test("lets one of two changes that checked the same password win, and stops the other", async () => {
  const { userId, email } = await newAccount();
  const viewer = { userId, email, sessionId: await startSession(db, { userId }) };
  const nexts = [NEXT, "a third good password"];
  const results = await Promise.all(
    nexts.map((next) => changePassword(context, post(), viewer, { current: PASSWORD, next })),
  );
  expect(results.map(({ ok }) => ok).sort()).toEqual([false, true]);
  const won = nexts[results.findIndex(({ ok }) => ok)] ?? "";
  expect(await checkCredentials(db, { email, password: won })).toMatchObject({ ok: true });
});

function post(network = "203.0.113.1"): Visit {
  return newVisit({ network });
}

/** Returns the database, which runs `before` ahead of a log-in's second batch: the one that starts its session. */
function changedBeforeSession(before: () => Promise<void>): Db {
  let batches = 0;
  const batch: Db["batch"] = async (statements) => {
    batches += 1;
    if (batches === 2) await before();
    return db.batch(statements);
  };
  return Object.assign(connect(env.DB), { batch });
}
