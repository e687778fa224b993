import { beforeEach, expect, test, vi } from "vitest";
import { readPushState, turnPushOff, turnPushOn } from "./enable-push.ts";

type Listener = (event: { value: string; error: string }) => void;

/** Stands in for the plugin of the shell, with the token of this phone. */
const phone = vi.hoisted(() => ({ receive: "prompt", error: "", listeners: new Map<string, Listener>() }));
vi.mock("@capacitor/core", () => ({ Capacitor: { getPlatform: () => "ios" } }));
vi.mock("@capacitor/push-notifications", () => ({
  PushNotifications: {
    checkPermissions: async () => ({ receive: phone.receive }),
    requestPermissions: async () => ({ receive: phone.receive }),
    addListener: async (event: string, listener: Listener) => {
      phone.listeners.set(event, listener);
      return { remove: () => phone.listeners.delete(event) };
    },
    register: async () => {
      const event = phone.error === "" ? "registration" : "registrationError";
      phone.listeners.get(event)?.({ value: "phone-token", error: phone.error });
    },
  },
}));

const sent: [method: string, body: unknown][] = [];
let server = { key: null, phones: true, devices: [] as string[] };

beforeEach(() => {
  Object.assign(phone, { receive: "granted", error: "" });
  server = { key: null, phones: true, devices: [] };
  sent.length = 0;
  vi.stubGlobal("window", { Capacitor: { getPlatform: () => "ios" } });
  vi.stubGlobal("fetch", async (_: string, { method = "GET", body }: { method?: string; body?: string } = {}) => {
    if (body) sent.push([method, JSON.parse(body)]);
    return Response.json(server);
  });
  return () => vi.unstubAllGlobals();
});

test("saves the phone's token once its owner allows notifications, and removes it", async () => {
  expect(await turnPushOn()).toBe("on");
  expect(await turnPushOff()).toBe(true);
  const device = { kind: "ios", token: "phone-token" };
  expect(sent).toEqual([
    ["POST", device],
    ["DELETE", device],
  ]);
  expect(phone.listeners.size).toBe(0);
});

test("saves nothing without the permission or a token", async () => {
  phone.receive = "denied";
  expect(await turnPushOn()).toBe("blocked");
  phone.receive = "granted";
  phone.error = "no network";
  expect(await turnPushOn()).toBe("failed");
  expect(sent).toEqual([]);
});

test("tells whether the server has this phone, was refused, or sends to no phone", async () => {
  expect(await readPushState()).toBe("off");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("phone-token")));
  server.devices = [[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")];
  expect(await readPushState()).toBe("on");
  phone.receive = "denied";
  expect(await readPushState()).toBe("blocked");
  server.phones = false;
  expect(await readPushState()).toBe("unsupported");
});
