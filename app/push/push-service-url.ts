import { isPublicUrl } from "#app/http/outgoing/public-url.ts";

/** The push services of today's browsers. A browser names its own, and we call it, so no other host is let in. */
const SERVICES = [
  // Chrome, Edge on Android, Opera, Samsung Internet and others.
  /^(?:fcm|android)\.googleapis\.com$/,
  // Chromium as built without Google's keys, for example by Linux distributions.
  /^jmt17\.google\.com$/,
  // Firefox.
  /^[a-z0-9-]+\.push\.services\.mozilla\.com$/,
  /^push\.services\.mozilla\.com$/,
  // Safari.
  /^[a-z0-9-]+\.push\.apple\.com$/,
  // Edge on Windows.
  /^[a-z0-9-]+\.notify\.windows\.com$/,
];

/** Returns whether an endpoint is https at a known push service. `local` also allows any http URL, for a stand-in. */
export function isPushServiceUrl(text: string, local: boolean): boolean {
  if (!isPublicUrl(text, local)) return false;
  const { hostname, port } = new URL(text);
  return local || (port === "" && SERVICES.some((service) => service.test(hostname)));
}
