import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readPushState } from "./enable-push.ts";

const SERVER = { key: "BKey", phones: false, devices: [] };
const registration = { pushManager: { getSubscription: async () => null } };

beforeEach(() => {
  vi.stubGlobal("fetch", async () => Response.json(SERVER));
  vi.stubGlobal("navigator", { serviceWorker: { getRegistration: async () => registration } });
  const Notification = { permission: "default" };
  vi.stubGlobal("Notification", Notification);
  vi.stubGlobal("window", { PushManager: class {}, Notification });
});
afterEach(() => vi.unstubAllGlobals());

test("offers notifications if the browser has not asked yet", async () => {
  expect(await readPushState()).toBe("off");
});

test("asks nobody again who said no", async () => {
  vi.stubGlobal("Notification", { permission: "denied" });
  expect(await readPushState()).toBe("blocked");
});

test("offers nothing in a browser without notifications, or if the site sends none", async () => {
  vi.stubGlobal("window", { Notification: {} });
  expect(await readPushState()).toBe("unsupported");
  vi.stubGlobal("window", { PushManager: class {}, Notification: {} });
  vi.stubGlobal("fetch", async () => Response.json({ ...SERVER, key: null }));
  expect(await readPushState()).toBe("unsupported");
  vi.stubGlobal("fetch", async () => new Response("", { status: 503 }));
  expect(await readPushState()).toBe("unsupported");
});

test("explains on an iPhone that notifications need the Home Screen", async () => {
  vi.stubGlobal("window", { Notification: {} });
  vi.stubGlobal("navigator", { serviceWorker: {}, standalone: false });
  expect(await readPushState()).toBe("install");
  vi.stubGlobal("navigator", { serviceWorker: {}, standalone: true });
  expect(await readPushState()).toBe("unsupported");
});
