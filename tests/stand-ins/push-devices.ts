import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, inject, onTestFinished } from "vitest";
import { isRunning } from "#app/accounts/session/auth-sessions.server.ts";
import { pushDeliveries, pushSubscriptions } from "#app/db/schema.server.ts";
import { runPushQueue } from "#app/push/push-queue.server.ts";
import { type Owner, ownerOfAccount, saveDevice } from "#app/push/subscriptions.server.ts";
import { db } from "#tests/workerd/customer.ts";
import type { BrowserSubscription, PushFault, Received } from "./push-service.ts";

/** Browsers and phones of the tests, at the stand-in for push services. */

const service = () => inject("pushService");

/** The settings by which the worker reaches the stand-in. */
export function pushEnv(): Env {
  const { url, serviceAccount } = service();
  return { ...env, FCM_SERVICE_ACCOUNT: serviceAccount, FCM_API_URL: url };
}

/** Has a browser subscribe at its push service. */
export async function newBrowser(): Promise<BrowserSubscription> {
  return (await ask("/browsers", {})) as BrowserSubscription;
}

export function accountOf({ userId, sessionId }: { userId: string; sessionId: string }): Owner {
  return { id: ownerOfAccount(userId), session: { userId, sessionId } };
}

/** Turns notifications on in a new browser of that owner. */
export async function notifiedBrowser(owner: Owner): Promise<BrowserSubscription> {
  const browser = await newBrowser();
  expect(await saveDevice(db, pushEnv(), owner, { kind: "web", ...browser })).toEqual({ ok: true });
  return browser;
}

/** Returns what has arrived at the browser, or at the phone with that token, in order. */
export async function receivedBy(device: BrowserSubscription | string): Promise<Received[]> {
  const response = await fetch(`${service().url}/received?${new URLSearchParams({ of: idOf(device) })}`);
  return response.json();
}

/** Makes the next requests about the device fail. */
export async function failNext(device: BrowserSubscription | string, fault: PushFault, times = 1): Promise<void> {
  await ask("/faults", { of: idOf(device), fault, times });
}

/** Runs a round of the dispatcher, without its alarm. */
export function sendPushes(): Promise<number | null> {
  return runPushQueue(db, pushEnv(), isRunning(Date.now()));
}

export function devicesOf(ownerId: string) {
  return db.select().from(pushSubscriptions).where(eq(pushSubscriptions.owner, ownerId));
}

export async function deliveriesTo(ownerId: string) {
  const rows = await db
    .select({ delivery: pushDeliveries })
    .from(pushDeliveries)
    .innerJoin(pushSubscriptions, eq(pushSubscriptions.id, pushDeliveries.subscriptionId))
    .where(eq(pushSubscriptions.owner, ownerId));
  return rows.map(({ delivery }) => delivery);
}

/** Gives the running dispatcher the stand-in, whose URL is not known when the worker starts. */
export async function usePushService(): Promise<void> {
  await runInDurableObject(pushDispatcher(), (instance) => {
    const bindings = (instance as unknown as { env: Env }).env;
    const { FCM_SERVICE_ACCOUNT, FCM_API_URL } = bindings;
    Object.assign(bindings, pushEnv());
    onTestFinished(() => void Object.assign(bindings, { FCM_SERVICE_ACCOUNT, FCM_API_URL }));
  });
}

export function pushDispatcher() {
  return env.PUSH_DISPATCHER.getByName("push");
}

/** The bindings, but nothing wakes the dispatcher: the test runs its rounds itself. */
export function withoutPushDispatcher(bindings: Env = env): Env {
  const PUSH_DISPATCHER = { getByName: () => ({ wake: async () => {} }) } as unknown as Env["PUSH_DISPATCHER"];
  return { ...bindings, PUSH_DISPATCHER };
}

function idOf(device: BrowserSubscription | string): string {
  return typeof device === "string" ? device : (device.endpoint.split("/").at(-1) ?? "");
}

async function ask(path: string, body: object): Promise<unknown> {
  const response = await fetch(service().url + path, { method: "POST", body: JSON.stringify(body) });
  return response.status === 204 ? null : response.json();
}
