import {
  isOwn,
  type OwnDevice,
  type PushState,
  readServer,
  removeDevice,
  saveDevice,
  type TurnedOn,
} from "./own-device.ts";

/** Turns notifications on and off on this device: web push in a browser, the push plugin in our apps. */

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
