/** What the server knows of this device's notifications. */

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

async function send(method: "POST" | "DELETE", device: OwnDevice): Promise<boolean> {
  const headers = { "Content-Type": "application/json" };
  return (await fetch("/push/subscriptions", { method, headers, body: JSON.stringify(device) })).ok;
}
