import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { services } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import worker from "./app.ts";

const SITE = "https://growline.example";

test("renders a public page once, and gives each visitor their own nonce, request ID and time", async () => {
  await service();
  const first = await open("/");
  const second = await open("/");
  expect(second.queries).toBe(1);
  const [one, other] = [ownOf(first), ownOf(second)];
  for (const name of ["nonce", "requestId", "policy"] as const) expect(one[name], name).not.toBe(other[name]);
  expect(second.text).not.toContain(one.nonce);
  expect(second.text).not.toContain(one.requestId);
  // Every script that the policy lets run has the nonce of this response.
  const scripts = [...second.text.matchAll(/<script nonce="([^"]*)"/g)].map(([, nonce]) => nonce);
  expect(scripts.length).toBeGreaterThan(3);
  expect(new Set(scripts)).toEqual(new Set([other.nonce]));
  expect(other.policy).toContain(`'nonce-${other.nonce}'`);
  expect(other.now).toBeGreaterThanOrEqual(one.now);
  expect(withoutOwn(second)).toBe(withoutOwn(first));
});

test("shows a changed price at once", async () => {
  const id = await service();
  const path = `/services?network=Instagram`;
  await open(path);
  await open(path);
  await db.update(services).set({ rate: 77_123_456 }).where(eq(services.id, id));
  expect((await open(path)).text).toContain("$77.123456");
});

test("keeps no page of somebody who is logged in, and gives them none that was kept", async () => {
  const { cookie } = await signedIn("customer");
  await open("/privacy-policy");
  const own = await open("/privacy-policy", { Cookie: cookie });
  expect(own.text).toContain("Log out");
  expect((await open("/privacy-policy")).text).not.toContain("Log out");
  expect((await open("/privacy-policy")).queries).toBe(1);
});

test("keeps each language apart, and neither searches nor errors", async () => {
  await service();
  await open("/services");
  expect((await open("/services", { "Accept-Language": "de-DE" })).text).toContain('\\"de-DE\\"');
  expect((await open("/services")).text).toContain('\\"en-US\\"');
  for (const path of ["/services?q=likes", "/services/999999999", "/?utm_source=mail"]) {
    await open(path);
    const again = await open(path);
    expect(again.text, path).toContain(ownOf(again).requestId);
    expect(again.queries, path).toBeGreaterThan(1);
  }
});

async function open(path: string, headers: Record<string, string> = {}) {
  const { database, counts } = countedDatabase(env.DB);
  const context = createExecutionContext();
  const request = new Request(SITE + path, { headers }) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(request, { ...env, DB: database }, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { text, headers: response.headers, queries: counts.queries };
}

type Opened = Awaited<ReturnType<typeof open>>;

function ownOf({ text, headers }: Opened) {
  return {
    nonce: /<script nonce="([^"]*)"/.exec(text)?.[1] ?? "",
    policy: headers.get("Content-Security-Policy") ?? "",
    requestId: headers.get("X-Request-Id") ?? "",
    now: Number(/\\"now\\",(\d{13})/.exec(text)?.[1]),
  };
}

function withoutOwn(opened: Opened): string {
  const { nonce, requestId, now } = ownOf(opened);
  expect(opened.text).toContain(requestId);
  return opened.text.replaceAll(nonce, "").replaceAll(requestId, "").replaceAll(String(now), "");
}
