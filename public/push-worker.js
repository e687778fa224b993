/**
 * Shows notifications and opens what they are about. It caches nothing and handles no request: without notifications the
 * site works as if it had no service worker.
 */

const CHAT_HASH = "#support-chat";
/** Pages without the chat button, which shows unread replies. */
const WITHOUT_CHAT = /^\/(?:admin|auth|onboarding)(?:\/|$)/;
const ORDER_LIST = "/dashboard/orders";
/** So many events are remembered, to tell one that is sent again after a crash of the server. */
const REMEMBERED = 100;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));
self.addEventListener("notificationclick", (event) => event.waitUntil(open(event.notification)));
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

function read(data) {
  try {
    return data.json();
  } catch {
    // Browsers want something to be shown for every message.
    return { title: "Growline", body: "There is news for you.", path: "/", tag: "news" };
  }
}

async function show({ id, title, body, path, tag }) {
  if (await isLookedAt(path)) return;
  if (await wasShown(id)) return;
  await self.registration.showNotification(title, {
    body,
    tag,
    renotify: true,
    icon: "/icon-192.png",
    data: { path },
  });
  if (id) await remember(id);
}

/** Returns whether a page that has the focus shows it: the chat counts unread replies on every page that has it. */
async function isLookedAt(path) {
  const pages = (await listWindows())
    .filter(({ focused, visibilityState }) => focused && visibilityState === "visible")
    .map(({ url }) => new URL(url).pathname);
  if (isChat(path)) return pages.some((page) => !WITHOUT_CHAT.test(page));
  return pages.some((page) => page === path || page === ORDER_LIST);
}

/** Opens the chat in a page that is open, without reloading it. An order opens in its own page: others may have a draft. */
async function open(notification) {
  notification.close();
  const { path } = notification.data;
  const pages = await listWindows();
  const page = isChat(path)
    ? pages.find(({ url }) => !WITHOUT_CHAT.test(new URL(url).pathname))
    : pages.find(({ url }) => new URL(url).pathname === path);
  if (!page) {
    await self.clients.openWindow(path);
    return;
  }
  await page.focus().catch(() => {});
  if (isChat(path)) {
    const here = new URL(page.url);
    // Fails for a page that was loaded without this worker.
    await page.navigate(here.pathname + here.search + CHAT_HASH).catch(() => self.clients.openWindow(path));
  }
}

function isChat(path) {
  return path.endsWith(CHAT_HASH);
}

function listWindows() {
  return self.clients.matchAll({ type: "window", includeUncontrolled: true });
}

/** Tells the server of the subscription that takes the place of one the browser has given up. */
async function renew({ oldSubscription, newSubscription }) {
  if (!oldSubscription) return;
  const fresh = newSubscription ?? (await self.registration.pushManager.subscribe(oldSubscription.options));
  const body = JSON.stringify({ ...device(fresh), replaces: device(oldSubscription) });
  await fetch("/push/subscriptions", { method: "POST", headers: { "Content-Type": "application/json" }, body });
}

function device(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  return { kind: "web", endpoint, keys };
}

/** Returns a function that opens the events shown: when, by their ids. */
async function openShown() {
  const opening = indexedDB.open("growline-notifications", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("shown");
  const database = await request(opening);
  return (mode) => database.transaction("shown", mode).objectStore("shown");
}

/** Returns false where the browser refuses storage: better a notification twice than none. */
async function wasShown(id) {
  try {
    const shown = await openShown();
    return (await request(shown("readonly").getKey(id))) !== undefined;
  } catch {
    return false;
  }
}

async function remember(id) {
  const shown = await openShown();
  await request(shown("readwrite").put(Date.now(), id));
  const keys = await request(shown("readonly").getAllKeys());
  const times = await request(shown("readonly").getAll());
  const oldest = keys.map((key, at) => ({ key, at: times[at] })).sort((a, b) => b.at - a.at);
  for (const { key } of oldest.slice(REMEMBERED)) await request(shown("readwrite").delete(key));
}

function request(asked) {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}
