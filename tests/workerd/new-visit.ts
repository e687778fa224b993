import type { Visit } from "#app/accounts/visit/visit.server.ts";

/** A visit by a browser that sends no cookies and doesn't say what it is, with whatever a test gives. */
export function newVisit(given: Partial<Visit> = {}): Visit {
  return {
    requestId: "test",
    url: "https://growline.example/auth/login",
    origin: "https://growline.example",
    network: null,
    userAgent: "",
    device: "Unknown device",
    deviceId: null,
    previousSession: null,
    passkeyBrowser: "",
    pendingLogIn: null,
    ...given,
  };
}
