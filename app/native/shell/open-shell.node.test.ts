import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openShell } from "./open-shell.ts";

const ORIGIN = "https://growline.example";
const ORDER = "growline://dashboard/orders/7";

type Listener = (event: object) => void;

/** Stands in for the plugins of the app's shell: the link that started the app, and what listens to each event. */
const phone = vi.hoisted(() => {
  const listeners = new Map<string, Set<Listener>>();
  const nothing = async () => ({});
  const addListener = async (event: string, listener: Listener) => {
    const all = listeners.get(event) ?? new Set();
    listeners.set(event, all.add(listener));
    return { remove: () => all.delete(listener) };
  };
  return { launchUrl: null as string | null, listeners, nothing, addListener };
});
vi.mock("@capacitor/app", () => ({
  App: {
    addListener: phone.addListener,
    getLaunchUrl: async () => (phone.launchUrl === null ? undefined : { url: phone.launchUrl }),
    minimizeApp: phone.nothing,
  },
}));
vi.mock("@capacitor/browser", () => ({ Browser: { open: phone.nothing, close: phone.nothing } }));
vi.mock("@capacitor/keyboard", () => ({
  Keyboard: { setStyle: phone.nothing },
  KeyboardStyle: { Dark: "DARK", Light: "LIGHT" },
}));
vi.mock("@capacitor/network", () => ({
  Network: { addListener: phone.addListener, getStatus: async () => ({ connected: true }) },
}));
vi.mock("@capacitor/preferences", () => ({
  Preferences: { get: async () => ({ value: null }), set: phone.nothing, remove: phone.nothing },
}));
vi.mock("@capacitor/push-notifications", () => ({ PushNotifications: { addListener: phone.addListener } }));
vi.mock("@capacitor/splash-screen", () => ({ SplashScreen: { hide: phone.nothing } }));
vi.mock("@capacitor/status-bar", () => ({
  StatusBar: { setStyle: phone.nothing },
  Style: { Dark: "DARK", Light: "LIGHT" },
}));

let followed: string[] = [];
let close = () => {};

beforeEach(() => {
  phone.launchUrl = null;
  phone.listeners.clear();
  followed = [];
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("location", new URL(ORIGIN));
  vi.stubGlobal("document", Object.assign(new EventTarget(), { documentElement: { dataset: {} } }));
  vi.stubGlobal(
    "MutationObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  const [tab, browser] = [storage(), storage()];
  vi.stubGlobal("sessionStorage", tab);
  vi.stubGlobal("localStorage", browser);
});

afterEach(() => close());

test("opens the page of a deep link each time it is pressed, also the same one twice", async () => {
  await openPage();
  for (const url of [ORDER, ORDER, "growline://upload", ORDER]) press(url);
  expect(followed).toEqual(["/dashboard/orders/7", "/dashboard/orders/7", "/upload", "/dashboard/orders/7"]);
});

test("opens the page of the link that started the app once, whatever pages follow, and again when it is pressed", async () => {
  phone.launchUrl = ORDER;
  await openPage();
  expect(followed).toEqual(["/dashboard/orders/7"]);
  await openPage();
  await openPage();
  expect(followed).toEqual(["/dashboard/orders/7"]);
  press(ORDER);
  press(ORDER);
  expect(followed).toEqual(Array.from({ length: 3 }, () => "/dashboard/orders/7"));
});

test("does not go back to the link that started the app once another was pressed", async () => {
  phone.launchUrl = ORDER;
  await openPage();
  press("growline://upload");
  await openPage();
  expect(followed).toEqual(["/dashboard/orders/7", "/upload"]);
});

test("does not jump to a link that was pressed later, on phones that report that one as the launch link", async () => {
  phone.launchUrl = ORDER;
  await openPage();
  phone.launchUrl = "growline://upload";
  press("growline://upload");
  await openPage();
  expect(followed).toEqual(["/dashboard/orders/7", "/upload"]);
});

test("opens what a notification is about each time one is pressed", async () => {
  await openPage();
  const notification = { data: { path: "/dashboard/orders/7" } };
  for (let time = 0; time < 2; time++) fire("pushNotificationActionPerformed", { notification });
  expect(followed).toEqual(["/dashboard/orders/7", "/dashboard/orders/7"]);
});

test("opens nothing for links of other sites, and nothing anymore once it is closed", async () => {
  await openPage();
  press("https://evil.example/dashboard");
  expect(followed).toEqual([]);
  close();
  await answers();
  press(ORDER);
  expect(followed).toEqual([]);
});

/** Loads a page of the app, in place of the one before. */
async function openPage(): Promise<void> {
  close();
  const shell = await openShell({
    sessionKey: "session",
    isSignedIn: () => true,
    go: (path) => {
      followed.push(path);
    },
  });
  close = shell.close;
  await answers();
}

/** Lets the plugins answer. */
async function answers(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

function press(url: string): void {
  fire("appUrlOpen", { url });
}

function fire(event: string, given: object): void {
  for (const listener of phone.listeners.get(event) ?? []) listener(given);
}

/** A browser's storage, empty at first. */
function storage(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    clear: () => values.clear(),
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    key: (at) => [...values.keys()][at] ?? null,
  };
}
