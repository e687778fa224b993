import { Capacitor } from "@capacitor/core";
import { PushNotifications } from "@capacitor/push-notifications";
import {
  isOwn,
  type OwnDevice,
  type PushServer,
  type PushState,
  removeDevice,
  saveDevice,
  type TurnedOn,
} from "./own-device.ts";

/** Notifications of our apps, by Firebase on both systems. Only the shell loads this file. */

/** The system answers at once if it can reach its push service. */
const TOKEN_TIMEOUT_MS = 15_000;

export async function readNativeState(server: PushServer): Promise<PushState> {
  if (!server.phones) return "unsupported";
  const { receive } = await PushNotifications.checkPermissions();
  if (receive === "denied") return "blocked";
  if (receive !== "granted") return "off";
  const device = await thisPhone().catch(() => null);
  return device && (await isOwn(server, device)) ? "on" : "off";
}

export async function turnNativeOn(): Promise<TurnedOn> {
  const { receive } = await PushNotifications.requestPermissions();
  if (receive !== "granted") return receive === "denied" ? "blocked" : "off";
  return (await saveDevice(await thisPhone())) ? "on" : "failed";
}

export async function turnNativeOff(): Promise<boolean> {
  return removeDevice(await thisPhone());
}

/** Registers the app with its system's push service and returns its token. Throws if that fails. */
async function thisPhone(): Promise<OwnDevice> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error("no token")), TOKEN_TIMEOUT_MS);
  const listeners = await Promise.all([
    PushNotifications.addListener("registration", ({ value }) => resolve(value)),
    PushNotifications.addListener("registrationError", ({ error }) => reject(new Error(error))),
  ]);
  try {
    await PushNotifications.register();
    return { kind: Capacitor.getPlatform() === "ios" ? "ios" : "android", token: await promise };
  } finally {
    clearTimeout(timer);
    for (const listener of listeners) void listener.remove();
  }
}
