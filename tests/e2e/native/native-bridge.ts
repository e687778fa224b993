import { readFileSync } from "node:fs";
import type { BrowserContext, Page } from "@playwright/test";

/**
 * Simulates a phone: the real native-bridge.js of @capacitor/android, which serves both systems, runs on a stand-in for
 * the native side. The stand-in responds to plugin calls like the plugins, and a test can fire the phone's events.
 */
export type Phone = {
  /** Every call that reached a plugin since the last page load, as "Plugin.method". */
  calls(page: Page): Promise<{ name: string; options: Record<string, unknown> }[]>;
  /** Fires a phone event, which the plugin reports to its listeners. */
  fire(page: Page, plugin: string, event: string, data: unknown): Promise<void>;
};

const BRIDGE = readFileSync("node_modules/@capacitor/android/capacitor/src/main/assets/native-bridge.js", "utf8");

const PLUGINS = {
  App: ["addListener", "removeListener", "getLaunchUrl", "minimizeApp", "exitApp"],
  Browser: ["open", "close"],
  Keyboard: ["setStyle"],
  Network: ["addListener", "removeListener", "getStatus"],
  Preferences: ["get", "set", "remove"],
  PushNotifications: ["addListener", "removeListener", "checkPermissions", "requestPermissions", "register"],
  SplashScreen: ["hide"],
  StatusBar: ["setStyle"],
};

export async function simulatePhone(
  context: BrowserContext,
  platform: "android" | "ios",
  /** `bridgeAfterMs` delays the bridge. `preferences` are the app's stored values. `launchUrl` is its launch link, `pushToken` its address at its push service. */
  options: {
    bridgeAfterMs?: number;
    preferences?: Record<string, string>;
    launchUrl?: string;
    pushToken?: string;
  } = {},
): Promise<Phone> {
  // A function, because the page's policy forbids evaluating text. The real shell is exempt from that policy.
  await context.addInitScript({ content: `window.startBridge = () => {${BRIDGE}};` });
  await context.addInitScript(standIn, { platform, plugins: PLUGINS, ...options });
  return {
    calls: (page) => page.evaluate(() => (window as unknown as PhoneWindow).phone.calls),
    fire: (page, plugin, event, data) =>
      page.evaluate(([name, type, detail]) => (window as unknown as PhoneWindow).phone.fire(name, type, detail), [
        plugin,
        event,
        data,
      ] as const),
  };
}

type Call = { callbackId: string; pluginId: string; methodName: string; options: Record<string, unknown> };
type PhoneWindow = {
  phone: {
    calls: { name: string; options: Record<string, unknown> }[];
    fire: (plugin: string, event: string, data: unknown) => void;
  };
};

/** Runs in the page before any of its scripts. */
function standIn({
  platform,
  plugins,
  bridgeAfterMs = 0,
  preferences = {},
  launchUrl,
  pushToken = "token",
}: {
  platform: "android" | "ios";
  plugins: Record<string, string[]>;
  bridgeAfterMs?: number;
  preferences?: Record<string, string>;
  launchUrl?: string;
  pushToken?: string;
}): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a web view
  const shell = window as any;
  const listeners: { plugin: string; event: string; callbackId: string }[] = [];
  const calls: { name: string; options: Record<string, unknown> }[] = [];
  let connected = true;
  // Simulates the phone's own storage, which outlives pages.
  const storedPreferences = () =>
    JSON.parse(sessionStorage.getItem("phone") ?? JSON.stringify(preferences)) as Record<string, string>;
  const storePreferences = (values: Record<string, string>) => sessionStorage.setItem("phone", JSON.stringify(values));

  function respond(call: Call, data: unknown, save = false): void {
    shell.Capacitor.fromNative({ ...call, data, success: true, save });
  }

  function receive(call: Call): void {
    const name = `${call.pluginId}.${call.methodName}`;
    calls.push({ name, options: call.options });
    const key = String(call.options.key);
    if (call.methodName === "addListener") {
      listeners.push({ plugin: call.pluginId, event: String(call.options.eventName), callbackId: call.callbackId });
      return;
    }
    if (name === "Preferences.set") storePreferences({ ...storedPreferences(), [key]: String(call.options.value) });
    if (name === "Preferences.remove")
      storePreferences(Object.fromEntries(Object.entries(storedPreferences()).filter(([other]) => other !== key)));
    if (name === "PushNotifications.requestPermissions") sessionStorage.setItem("phone.push", "granted");
    respond(call, resultOf(name, key));
    if (name === "PushNotifications.register")
      shell.phone.fire("PushNotifications", "registration", { value: pushToken });
  }

  function resultOf(name: string, key: string): unknown {
    if (name === "Network.getStatus") return { connected, connectionType: connected ? "wifi" : "none" };
    if (name === "Preferences.get") return { value: storedPreferences()[key] ?? null };
    if (/^PushNotifications\..*Permissions$/.test(name)) {
      return { receive: sessionStorage.getItem("phone.push") ?? "prompt" };
    }
    return name === "App.getLaunchUrl" && launchUrl ? { url: launchUrl } : {};
  }

  shell.phone = {
    calls,
    fire(plugin: string, event: string, data: { connected?: boolean }) {
      if (event === "networkStatusChange") connected = data.connected === true;
      for (const listener of listeners.filter((one) => one.plugin === plugin && one.event === event)) {
        shell.Capacitor.fromNative({
          callbackId: listener.callbackId,
          pluginId: plugin,
          methodName: "addListener",
          data,
          success: true,
          save: true,
        });
      }
    },
  };

  function appear(): void {
    // Both native sides respond later, never within the call.
    const post = (text: string) => setTimeout(() => receive(JSON.parse(text)));
    if (platform === "android") shell.androidBridge = { postMessage: post };
    else shell.webkit = { messageHandlers: { bridge: { postMessage: (call: Call) => post(JSON.stringify(call)) } } };
    shell.Capacitor = {
      ...shell.Capacitor,
      PluginHeaders: Object.entries(plugins).map(([plugin, methods]) => ({
        name: plugin,
        methods: methods.map((method) => ({
          name: method,
          rtype: method === "addListener" || method === "removeListener" ? "callback" : "promise",
        })),
      })),
    };
    shell.startBridge();
  }
  if (bridgeAfterMs > 0) setTimeout(appear, bridgeAfterMs);
  else appear();
}
