/** Turns notifications on and off on this device: web push in a browser, the push plugin in our apps. */

/**
 * "unsupported": this browser has none, or the site doesn't send any. "install": iOS has them only for sites on the Home
 * Screen. "blocked": the person or their system said no.
 */
export type PushState = "unsupported" | "install" | "blocked" | "off" | "on";
export type TurnedOn = "on" | "off" | "blocked" | "failed";

/** What the server is told of a device. */
export type OwnDevice =
  | { kind: "web"; endpoint: string; keys: { p256dh: string; auth: string } }
  | { kind: "android" | "ios"; token: string };
/** What it says. `key`: null if it sends no web push. `devices`: digests of the caller's own. */
export type PushServer = { key: string | null; phones: boolean; devices: string[] };

const WORKER = "/push-worker.js";

export async function readPushState(): Promise<PushState> {
  const server = await readServer();
  if (!server) return "unsupported";
  if (isNative()) return (await import("./native-push.ts")).readNativeState(server);
  if (server.key === null) return "unsupported";
  if (!canPush()) return "standalone" in navigator && !navigator.standalone ? "install" : "unsupported";
  if (Notification.permission === "denied") return "blocked";
  const subscription = await (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription();
  if (!subscription || Notification.permission !== "granted") return "off";
  return (await isOwn(server, deviceOf(subscription))) ? "on" : "off";
}

/** Asks for the permission, if the person wasn't asked before. Call it from a click. "off": they didn't decide. */
export async function turnPushOn(): Promise<TurnedOn> {
  try {
    if (isNative()) return await (await import("./native-push.ts")).turnNativeOn();
    const permission = await Notification.requestPermission();
    if (permission !== "granted") return permission === "denied" ? "blocked" : "off";
    const server = await readServer();
    if (!server?.key) return "failed";
    await navigator.serviceWorker.register(WORKER, { updateViaCache: "none" });
    const { pushManager } = await navigator.serviceWorker.ready;
    const subscription = await subscribe(pushManager, server.key);
    return (await saveDevice(deviceOf(subscription))) ? "on" : "failed";
  } catch {
    return "failed";
  }
}

export async function turnPushOff(): Promise<boolean> {
  try {
    if (isNative()) return await (await import("./native-push.ts")).turnNativeOff();
    const subscription = await (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription();
    if (!subscription) return true;
    // What the server may still have is deleted once the push service says that it is gone.
    await removeDevice(deviceOf(subscription)).catch(() => false);
    return await subscription.unsubscribe();
  } catch {
    return false;
  }
}

export async function readServer(): Promise<PushServer | null> {
  try {
    const response = await fetch("/push/subscriptions");
    return response.ok ? ((await response.json()) as PushServer) : null;
  } catch {
    return null;
  }
}

export function saveDevice(device: OwnDevice): Promise<boolean> {
  return send("POST", device);
}

export function removeDevice(device: OwnDevice): Promise<boolean> {
  return send("DELETE", device);
}

/** Returns whether the server has this device as one of the caller's. It names devices by the same digest. */
export async function isOwn({ devices }: PushServer, device: OwnDevice): Promise<boolean> {
  const text = device.kind === "web" ? [device.endpoint, device.keys.p256dh, device.keys.auth].join(" ") : device.token;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return devices.includes([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
}

function canPush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/** The same as in platform.ts, which is above this layer. */
function isNative(): boolean {
  const { Capacitor } = window as { Capacitor?: { getPlatform?: () => string } };
  return /^(android|ios)$/.test(Capacitor?.getPlatform?.() ?? "");
}

/** Returns this browser's subscription. One that was made for an older key of ours is replaced. */
async function subscribe(manager: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await manager.subscribe(options);
  } catch (error) {
    const old = await manager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return manager.subscribe(options);
  }
}

function deviceOf(subscription: PushSubscription): OwnDevice {
  const { endpoint = "", keys = {} } = subscription.toJSON();
  return { kind: "web", endpoint, keys: { p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" } };
}

async function send(method: "POST" | "DELETE", device: OwnDevice): Promise<boolean> {
  const headers = { "Content-Type": "application/json" };
  return (await fetch("/push/subscriptions", { method, headers, body: JSON.stringify(device) })).ok;
}
