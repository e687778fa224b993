import type { BrowserContext, Page, Worker } from "@playwright/test";
import { countLoads, expect, signIn, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { bubbles, meet, newPage, openChat, say, startChat } from "#tests/e2e/support/chat-steps.ts";
import {
  type BrowserSubscription,
  type PushService,
  type Received,
  startPushService,
} from "#tests/stand-ins/push-service.ts";

/**
 * A headless Chromium has neither a push service nor notifications. Its subscription is the stand-in's, and what the
 * product sends there is decrypted and delivered to the real service worker by Chromium's own DevTools command. What the
 * worker then shows and opens is recorded. Every page counts as having the focus, so the tests say where it is.
 */

const OFFER = "Get a notification when we answer";

const it = test.extend<{ pushService: PushService }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures it depends on from the pattern
  pushService: async ({}, use) => {
    const service = await startPushService();
    await use(service);
    await service.close();
  },
});

it("offers notifications while a visitor waits, delivers an answer that opens the chat, and follows a subscription that the browser renews", async ({
  browser,
  copy,
  page,
  pushService,
}) => {
  const subscription = await useSubscription(page, pushService);
  const { agent } = await meet({ browser, copy, page }, "Nora");
  await expect(page.getByRole("button", { name: OFFER })).toHaveCount(0);
  await say(page, "Where is my order?");
  await page.getByRole("button", { name: OFFER }).click();
  await expect(page.getByText("We'll notify you when we answer.")).toBeVisible();

  // Somebody who reads along gets none, on this device or another.
  await say(agent, "Let me look.");
  await expect(bubbles(page).filter({ hasText: "Let me look." })).toBeVisible();
  await page.goto("about:blank");
  await say(agent, "It is on its way.");
  await expect.poll(() => receivedBy(pushService, subscription)).toHaveLength(1);
  const [{ message } = { message: {} }] = await receivedBy(pushService, subscription);
  expect(message).toMatchObject({
    title: "Demo Agent from Growline",
    body: "It is on its way.",
    path: "/#support-chat",
  });

  await page.goto("/privacy-policy");
  const worker = await workerOf(page.context());
  // A page with the focus counts the reply, and shows no order.
  await deliver(page, copy.url, { ...message, id: "999998" });
  const order = { title: "Order 8 completed", body: "Everything is delivered.", path: "/dashboard/orders/8" };
  await deliver(page, copy.url, { ...order, id: "8", tag: "order-8" });
  await expect.poll(() => shown(worker)).toEqual(["Order 8 completed: Everything is delivered."]);
  expect(await tap(worker)).toEqual([order.path]);
  await setFocus(worker, false);
  await deliver(page, copy.url, message);
  await expect.poll(() => shown(worker)).toEqual(["Demo Agent from Growline: It is on its way."]);

  const loads = countLoads(page);
  // It opens no other window.
  expect(await tap(worker)).toEqual([order.path]);
  await expect(page.getByRole("dialog", { name: "Support Chat" })).toBeVisible();
  await expect(bubbles(page).filter({ hasText: "It is on its way." })).toBeVisible();
  expect(loads()).toBe(0);
  expect(await shown(worker)).toEqual([]);

  // The server sends it again after a crash between sending and noting that.
  await deliver(page, copy.url, message);
  await deliver(page, copy.url, { ...message, id: "999999", body: "Another one" });
  await expect.poll(() => shown(worker)).toEqual(["Demo Agent from Growline: Another one"]);

  await it.step("a subscription that the browser renews, and no one else's", async () => {
    const [own, fresh, foreign] = [
      (await ask(pushService, "/browsers", "POST")) as BrowserSubscription,
      (await ask(pushService, "/browsers", "POST")) as BrowserSubscription,
      (await ask(pushService, "/browsers", "POST")) as BrowserSubscription,
    ];
    await signUpByRequest(page);
    const save = (device: object) =>
      page.evaluate(
        async (body) => (await fetch("/push/subscriptions", { method: "POST", body: JSON.stringify(body) })).status,
        device,
      );
    const devices = () =>
      page.evaluate(async () => ((await (await fetch("/push/subscriptions")).json()) as { devices: string[] }).devices);
    expect(await save({ kind: "web", ...own })).toBe(200);
    const before = await devices();
    await renew(worker, foreign, fresh);
    expect(await devices()).toEqual(before);
    await renew(worker, own, fresh);
    const after = await devices();
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
  });

  await it.step("a browser that refuses storage", async () => {
    await worker.evaluate(() => {
      indexedDB.open = () => {
        throw new DOMException("refused", "UnknownError");
      };
    });
    await deliver(page, copy.url, { ...message, id: "1000000", body: "Without storage" });
    await expect.poll(() => shown(worker)).toEqual(["Demo Agent from Growline: Without storage"]);
  });

  await it.step("a service worker that caches nothing and may only call this site", async () => {
    const response = await page.request.get("/push-worker.js");
    expect(response.headers()["cache-control"]).toBe("no-cache");
    expect(response.headers()["content-security-policy"]).toMatch(/^default-src 'none'; connect-src 'self'/);
    const code = await response.text();
    expect(code).not.toMatch(/addEventListener\("fetch"|caches\./);
    const site = await page.request.get("/privacy-policy");
    expect(site.headers()["content-security-policy"]).toContain("worker-src 'self'");
  });
});

it("offers notifications once an order is placed, is silent while a page with the focus shows what it is about, and takes them back in the account", {
  tag: "@nightly",
}, async ({ copy, page, pushService }) => {
  const subscription = await useSubscription(page, pushService);
  await signIn(page, copy, "customer", "/dashboard");
  await page.getByLabel("Link").fill(`https://instagram.com/n${crypto.randomUUID().slice(0, 8)}`);
  await expect(page.getByRole("button", { name: "Get a notification when it ends" })).toHaveCount(0);
  await page.getByRole("button", { name: /Place order/ }).click();
  await page.getByRole("button", { name: "Get a notification when it ends" }).click();
  await expect(page.getByText("We'll notify you when an order ends.")).toBeVisible();
  // The sandbox provider completes it.
  await expect.poll(() => receivedBy(pushService, subscription), { timeout: 60_000 }).not.toHaveLength(0);
  const [{ message } = { message: {} }] = await receivedBy(pushService, subscription);
  expect(message).toMatchObject({ title: expect.stringMatching(/^Order \d+ completed$/) });

  const tab = async (name: string, path: string) => {
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name, exact: true }).click();
    await page.waitForURL(path);
  };
  await it.step("a page with the focus", async () => {
    const worker = await workerOf(page.context());
    const order = { id: "1", title: "Order 7 completed", body: "Everything is delivered.", tag: "order-7" };
    const reply = {
      id: "2",
      title: "Bo from Growline",
      body: "Hello",
      path: "/dashboard#support-chat",
      tag: "support",
    };
    await tab("Orders", "/dashboard/orders");
    await page.bringToFront();
    await deliver(page, copy.url, { ...order, path: "/dashboard/orders/7" });
    await deliver(page, copy.url, reply);
    await tab("Account", "/dashboard/account");
    await deliver(page, copy.url, { ...order, id: "3", title: "Order 8 completed", path: "/dashboard/orders/8" });
    await expect.poll(() => shown(worker)).toEqual(["Order 8 completed: Everything is delivered."]);

    expect(await tap(worker)).toEqual(["/dashboard/orders/8"]);
    expect(new URL(page.url()).pathname).toBe("/dashboard/account");
  });
  await page.getByRole("button", { name: "Turn off" }).click();
  await expect(page.getByRole("button", { name: "Get notifications on this device" })).toBeVisible();
  expect(await page.evaluate(async () => (await fetch("/push/subscriptions")).json())).toMatchObject({ devices: [] });
});

it("says in plain words what to do where the browser blocks notifications, and offers nothing once somebody said no", {
  tag: "@nightly",
}, async ({ page, pushService }) => {
  await useSubscription(page, pushService);
  await page.addInitScript(() => {
    const answer = "test-permission";
    Object.defineProperty(Notification, "permission", { get: () => localStorage.getItem(answer) ?? "default" });
    Notification.requestPermission = async () => {
      localStorage.setItem(answer, "denied");
      return "denied";
    };
  });
  await startChat(page, "Nora");
  await say(page, "Hello?");
  await page.getByRole("button", { name: OFFER }).click();
  await expect(page.getByRole("alert")).toContainText("Your browser blocks notifications from this site.");

  const read = page.waitForResponse("**/push/subscriptions");
  await page.reload();
  await openChat(page);
  await read;
  await expect(bubbles(page).filter({ hasText: "Hello?" })).toBeVisible();
  await expect(page.getByRole("button", { name: OFFER })).toHaveCount(0);
});

it("offers nothing after a no, or in a browser without notifications", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  for (const hide of [
    () => Object.defineProperty(Notification, "permission", { get: () => "denied" }),
    () => void Reflect.deleteProperty(window, "PushManager"),
  ]) {
    const page = await newPage(browser, copy);
    await page.addInitScript(hide);
    await startChat(page, "Nora");
    const read = page.waitForResponse("**/push/subscriptions");
    await say(page, "Hello?");
    await read;
    await expect(bubbles(page).filter({ hasText: "Hello?" })).toBeVisible();
    await expect(page.getByRole("button", { name: OFFER })).toHaveCount(0);
    await page.context().close();
  }
});

/** Allows notifications and gives the browser a subscription at the stand-in. */
async function useSubscription(page: Page, service: PushService): Promise<BrowserSubscription> {
  const subscription = (await ask(service, "/browsers", "POST")) as BrowserSubscription;
  await page.context().addInitScript((given) => {
    let permission: NotificationPermission = "default";
    Object.defineProperty(Notification, "permission", {
      get: () => (localStorage.getItem("test-push") ? "granted" : permission),
      configurable: true,
    });
    Notification.requestPermission = async () => {
      permission = "granted";
      return permission;
    };
    const made = {
      ...given,
      toJSON: () => given,
      unsubscribe: async () => localStorage.removeItem("test-push") ?? true,
    };
    PushManager.prototype.subscribe = async () => {
      localStorage.setItem("test-push", "1");
      return made as unknown as PushSubscription;
    };
    PushManager.prototype.getSubscription = async () =>
      localStorage.getItem("test-push") ? (made as unknown as PushSubscription) : null;
  }, subscription);
  return subscription;
}

async function receivedBy(service: PushService, { endpoint }: BrowserSubscription): Promise<Received[]> {
  const id = endpoint.split("/").at(-1) ?? "";
  return (await ask(service, `/received?${new URLSearchParams({ of: id })}`, "GET")) as Received[];
}

async function ask({ url }: PushService, path: string, method: string): Promise<unknown> {
  return (await fetch(url + path, { method })).json();
}

type Shown = { title: string; body: string; tag: string; data: { path: string } };
/** What the tests record and set in the service worker's global scope. */
type Scope = EventTarget & {
  parts: { shown: Shown[]; opened: string[]; hasFocus: boolean };
  registration: { showNotification: (title: string, rest: Omit<Shown, "title">) => Promise<void> };
  clients: {
    matchAll: (
      options: object,
    ) => Promise<{ url: string; visibilityState: string; navigate: (url: string) => unknown }[]>;
    openWindow: (url: string) => Promise<null>;
  };
};

/** Returns the service worker, which from then on records what it shows and opens. */
async function workerOf(context: BrowserContext): Promise<Worker> {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope;
    scope.parts = { shown: [], opened: [], hasFocus: true };
    scope.registration.showNotification = async (title, rest) => {
      scope.parts.shown = [...scope.parts.shown.filter(({ tag }) => tag !== rest.tag), { title, ...rest }];
    };
    const matchAll = scope.clients.matchAll.bind(scope.clients);
    scope.clients.matchAll = async (options) =>
      (await matchAll(options)).map((client) => ({
        url: client.url,
        visibilityState: client.visibilityState,
        focused: scope.parts.hasFocus,
        focus: async () => {},
        navigate: (url: string) => client.navigate(url),
      }));
    scope.clients.openWindow = async (url) => {
      scope.parts.opened.push(url);
      return null;
    };
  });
  return worker;
}

function setFocus(worker: Worker, hasFocus: boolean): Promise<void> {
  return worker.evaluate((is) => {
    (globalThis as unknown as Scope).parts.hasFocus = is;
  }, hasFocus);
}

/** Delivers a message to the service worker, as the browser does with what its push service sent. */
async function deliver(page: Page, origin: string, message: object): Promise<void> {
  // One that is only being installed gets nothing.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  const session = await page.context().newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const [registration] = registrations.filter(({ isDeleted }) => !isDeleted);
    if (registration) registered.resolve(registration.registrationId);
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered.promise;
  await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(message) });
  await session.detach();
}

function shown(worker: Worker): Promise<string[]> {
  return worker.evaluate(() =>
    (globalThis as unknown as Scope).parts.shown.map(({ title, body }) => `${title}: ${body}`),
  );
}

/** Taps the notification that is shown, and returns the windows that the service worker opens for it. */
function tap(worker: Worker): Promise<string[]> {
  return worker.evaluate(async () => {
    const scope = globalThis as unknown as Scope;
    const [notification] = scope.parts.shown;
    const work: Promise<unknown>[] = [];
    const close = () => {
      scope.parts.shown = scope.parts.shown.filter((one) => one !== notification);
    };
    // Only the browser may extend the life of the worker.
    const event = Object.assign(new Event("notificationclick"), {
      notification: { ...notification, close },
      waitUntil: (promise: Promise<unknown>) => void work.push(promise),
    });
    scope.dispatchEvent(event);
    await Promise.all(work);
    return scope.parts.opened;
  });
}

/** Has the browser replace a subscription by another. */
function renew(worker: Worker, old: BrowserSubscription, fresh: BrowserSubscription): Promise<void> {
  return worker.evaluate(
    async ([before, after]) => {
      const work: Promise<unknown>[] = [];
      const event = Object.assign(new Event("pushsubscriptionchange"), {
        oldSubscription: { toJSON: () => before },
        newSubscription: { toJSON: () => after },
        waitUntil: (promise: Promise<unknown>) => void work.push(promise),
      });
      (globalThis as unknown as Scope).dispatchEvent(event);
      await Promise.all(work);
    },
    [old, fresh] as const,
  );
}
