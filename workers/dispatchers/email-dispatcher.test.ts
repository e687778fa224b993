import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";
import { requestReset } from "#app/accounts/recovery/password-reset.server.ts";
import { wakeForDueEmails } from "#app/email/email-queue.server.ts";
import { wakeEmailDispatcher } from "#app/email/queue-email.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { attemptsAt, emailEnv, emailsTo, queueTo, readEmail, receivedAt } from "#tests/workerd/email-api.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { repeatAlarm } from "#tests/workerd/repeat-alarm.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { faultyAddress } from "#tools/stand-ins/email-faults.ts";

const WAIT = { timeout: 90_000, interval: 50 };
const visit = newVisit();

test("sends an email as soon as it is queued, without the cron trigger", async () => {
  await useEmailApi();
  const { email } = await newAccount();
  const work: Promise<unknown>[] = [];
  const context = loadContext({ waitUntil: (promise) => void work.push(promise) });
  expect(await requestReset(context, visit, email)).toEqual({ ok: true });
  await Promise.all(work);
  await vi.waitUntil(async () => (await receivedAt(email)) === 1, WAIT);
  await vi.waitUntil(async () => (await emailsTo(email))[0]?.status === "sent", WAIT);
});

test("responds while the email API hangs, and sends the email once after a crash", async () => {
  await useEmailApi();
  const to = faultyAddress("hang");
  const id = await queueTo(to);
  await wakeEmailDispatcher(env);
  await vi.waitUntil(async () => (await attemptsAt(to)) === 1, WAIT);

  const { email } = await newAccount();
  expect(await requestReset(loadContext(), visit, email)).toEqual({ ok: true });
  expect(await emailsTo(email)).toMatchObject([{ status: "queued" }]);

  await kill();
  await useEmailApi();
  expect(await readEmail(id)).toMatchObject({ status: "queued", attempts: 0 });
  // As cron does.
  await wakeForDueEmails(db, env);
  await repeatAlarm(dispatcher());
  await vi.waitUntil(async () => (await readEmail(id)).status === "sent", WAIT);
  expect(await receivedAt(to)).toBe(1);
  await vi.waitUntil(async () => (await emailsTo(email))[0]?.status === "sent", WAIT);
});

test("tries again by itself after a failure", async () => {
  await useEmailApi();
  const to = faultyAddress("busy");
  const id = await queueTo(to);
  await wakeEmailDispatcher(env);
  await vi.waitUntil(async () => (await readEmail(id)).status === "sent", WAIT);
  expect(await attemptsAt(to)).toBe(2);
});

function dispatcher() {
  return env.EMAIL_DISPATCHER.getByName("emails");
}

/** Gives the dispatcher the email API of the tests, whose URL is not known when the worker starts. */
async function useEmailApi(): Promise<void> {
  await runInDurableObject(dispatcher(), (instance) => {
    const bindings = (instance as unknown as { env: Env }).env;
    const { EMAIL_API_URL, EMAIL_API_KEY } = bindings;
    Object.assign(bindings, emailEnv());
    onTestFinished(() => void Object.assign(bindings, { EMAIL_API_URL, EMAIL_API_KEY }));
  });
}

/** Ends the dispatcher as a crash would. */
async function kill(): Promise<void> {
  await expect(runInDurableObject(dispatcher(), (_, state) => state.abort("killed"))).rejects.toThrow("killed");
}
