import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { loadContext } from "#tests/workerd/test-context.ts";
import {
  deviceCookie,
  passkeyBrowserCookie,
  readVisit,
  secondStepCookie,
  sessionCookie,
  type Visit,
} from "./visit.server.ts";

const ORIGIN = "https://growline.example";
const PAGE = `${ORIGIN}/auth/login?redirectTo=/dashboard`;
const context = loadContext({ env: { ...env, PUBLIC_ORIGIN: ORIGIN }, requestId: "r1" });
const SIGNED = {
  deviceId: { cookie: deviceCookie(env, { url: PAGE }), name: "growline_device", seconds: 34_560_000 },
  previousSession: { cookie: sessionCookie(env, { url: PAGE }), name: "growline_auth", seconds: 2_592_000 },
  passkeyBrowser: { cookie: passkeyBrowserCookie(env, { url: PAGE }), name: "growline_passkey", seconds: 86_400 },
} as const;
const STRANGER: Visit = {
  requestId: "r1",
  url: PAGE,
  origin: ORIGIN,
  network: null,
  userAgent: "",
  device: "Unknown device",
  deviceId: null,
  previousSession: null,
  passkeyBrowser: "",
  pendingLogIn: null,
};

test("reads a stranger without headers as nobody known", async () => {
  expect(await visitWith({})).toEqual(STRANGER);
});

test("reads the address, the network of limits and the device", async () => {
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const headers = { "User-Agent": userAgent, "CF-Connecting-IP": "2001:db8:1:2:3::4" };
  expect(await visitWith(headers)).toEqual({
    ...STRANGER,
    network: "2001:db8:1:2",
    userAgent,
    device: "Firefox on Linux",
  });
});

test("counts no visit from the machine itself by its network", async () => {
  expect(await visitWith({ "CF-Connecting-IP": "127.0.0.1" })).toEqual(STRANGER);
});

test("takes the origin of links from the setting, whatever host the request names", async () => {
  const request = new Request("https://evil.example/auth/login");
  expect(await readVisit(context, request)).toMatchObject({ origin: ORIGIN, url: request.url });
});

test.for(Object.entries(SIGNED))(
  "recognizes the browser's %s by its cookie, and none that is forged",
  async ([field, { cookie, name, seconds }]) => {
    const set = await cookie.serialize("an id");
    expect(set).toMatch(new RegExp(`^__Host-${name}=.*; Max-Age=${seconds};`));
    const [sent = ""] = set.split(";");
    expect(await visitWith({ Cookie: sent })).toEqual({ ...STRANGER, [field]: "an id" });
    const forged = { Cookie: sent.replace(/=.{6}/, "=AAAAAA") };
    expect(await visitWith(forged)).toEqual(STRANGER);
    const other = { ...context, env: { ...context.env, SESSION_SECRET: "another" } };
    expect(await readVisit(other, new Request(PAGE, { headers: { Cookie: sent } }))).toEqual(STRANGER);
  },
);

test("reads the token of a log-in that waits, for five minutes", async () => {
  const set = await secondStepCookie({ url: PAGE }).serialize("a token");
  expect(set).toMatch(/^__Host-growline_second_step=.*; Max-Age=300;/);
  expect(await visitWith({ Cookie: set.split(";")[0] ?? "" })).toEqual({ ...STRANGER, pendingLogIn: "a token" });
});

function visitWith(headers: Record<string, string>): Promise<Visit> {
  return readVisit(context, new Request(PAGE, { headers }));
}
