import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { services } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import worker from "./app.ts";

const SITE = "https://growline.example";

// So that no kept page expires during a test, not even one that another file left.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

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
  expect((await open("/privacy-policy")).queries).toBe(0);
});

test("keeps each language apart, and neither searches nor errors", async () => {
  await service();
  await open("/services");
  expect((await open("/services", { "Accept-Language": "de-DE" })).text).toContain('\\"de-DE\\"');
  expect((await open("/services")).text).toContain('\\"en-US\\"');
  for (const path of ["/services?q=likes", "/services/999999999", "/?lang=de", "/?ref=mail", "/?utm_source=1&x=2"]) {
    const { status } = await open(path);
    const again = await open(path);
    expect(again.text, path).toContain(ownOf(again).requestId);
    // A kept page takes exactly one query, and is never an error.
    expect(again.status, path).toBe(status);
    if (status === 200) expect(again.queries, path).toBeGreaterThan(1);
  }
});

test("renders nothing of an address but its filters, so that a page may be kept for others", async () => {
  const id = await service();
  for (const path of ["/", "/privacy-policy", "/services", `/services/${id}-likes`]) {
    const plain = await open(path);
    const other = await open(`${path}?canary=canary%22%3E#canary`);
    // A kept page takes exactly one.
    expect(other.queries, path).not.toBe(1);
    expect(withoutOwn(other), path).toBe(withoutOwn(plain));
  }
});

test("gives who comes from a campaign the page that is kept without its parameters", async () => {
  const id = await service();
  const campaign = "utm_source=mail&utm_medium=cpc&utm_campaign=a+b&gclid=Cj0K-_&fbclid=Iw&msclkid=1&ttclid=2&mc_cid=3";
  for (const path of ["/", "/privacy-policy", `/services/${id}-likes`, "/services?network=Instagram"]) {
    const address = `${path}${path.includes("?") ? "&" : "?"}${campaign}`;
    // Kept for the first of them, too, and with nothing of where they came from.
    const first = await open(address.replace("=mail", "=canary"));
    const [again, plain] = [await open(address), await open(path)];
    for (const one of [again, plain]) {
      expect(one.queries, path).toBe(path === "/privacy-policy" ? 0 : 1);
      expect(withoutOwn(one), path).toBe(withoutOwn(first));
    }
    expect(first.text).not.toContain("canary");
  }
});

test("sends who comes from a campaign on to a service's new address with all parameters", async () => {
  const id = await service();
  for (const query of ["?utm_source=mail&gclid=1", "?gclid=1&other=2"]) {
    const old = await open(`/services/${id}-old-name${query}`);
    expect(old.headers.get("Location")).toBe(`/services/${id}-likes${query}`);
  }
});

test("gives the right page for hostile parameters of a campaign, and keeps nothing for them", async () => {
  await service();
  const plain = await open("/");
  const hostile = [
    "gclid=%E0%A4%A&utm_source=%",
    `utm_source=${"x".repeat(10_000)}`,
    Array.from({ length: 500 }, (_, n) => `utm_source=${n}`).join("&"),
    "utm_source=%22%3E%3Cscript%3E&&&&gclid",
    ...Array.from({ length: 150 }, (_, n) => `utm_content=${n}`),
  ];
  for (const query of hostile) {
    const opened = await open(`/?${query}`);
    expect(opened.queries, query.slice(0, 50)).toBe(1);
    expect(withoutOwn(opened)).toBe(withoutOwn(plain));
  }
  // Names that only look like a campaign's are read like any other.
  for (const query of ["utm%5Fsource=1", "xutm_source=1", "utm_=1", "gclid%00=1", "GCLID=1", "=gclid"]) {
    expect((await open(`/?${query}`)).queries, query).toBeGreaterThan(1);
  }
  expect((await open("/")).queries).toBe(1);
});

test("gives somebody who is logged in their own page when they come from a campaign", async () => {
  const { cookie } = await signedIn("customer");
  await open("/privacy-policy?utm_source=mail");
  const own = await open("/privacy-policy?utm_source=mail", { Cookie: cookie });
  expect(own.text).toContain("Log out");
  const next = await open("/privacy-policy?utm_source=mail");
  expect(next.queries).toBe(0);
  expect(next.text).not.toContain("Log out");
});

test("keeps and serves a page with our own cookies and those of Cloudflare, and neither with others", async () => {
  await service();
  await open("/");
  const own = "__Host-growline_flash=x; __Host-growline_support=1; __Host-growline_dismissed=1.1";
  expect((await open("/", { Cookie: own })).queries).toBe(1);
  // Cloudflare sets these in front of the worker.
  expect((await open("/", { Cookie: "cf_clearance=x; __cf_bm=y; _cfuvid=z" })).queries).toBe(1);
  for (const other of ["theme=dark", "growline_flash=x", "__Host-growline_flash=x; a=b", "__host-growline_flash=x"]) {
    expect((await open("/", { Cookie: other })).queries, other).toBeGreaterThan(1);
  }
});

test("leaves a time and an ID as somebody wrote them into a page", async () => {
  vi.setSystemTime(1_700_000_000_000);
  const written = 'At 1700000000000 "now",1700000000000 \\"now\\",1700000000000';
  await service({ name: written });
  const shown = async () => (await open("/services")).text.replaceAll("&quot;", '"');
  const first = await shown();
  expect(first).toContain(written);
  vi.setSystemTime(1_700_000_001_000);
  const second = await shown();
  expect(second).toContain(written);
  expect(second.split("1700000000000")).toHaveLength(first.split("1700000000000").length - 1);
  expect(second).toContain("@1700000001000");
});

async function open(path: string, headers: Record<string, string> = {}) {
  const { database, counts } = countedDatabase(env.DB);
  const context = createExecutionContext();
  const request = new Request(SITE + path, { headers }) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(request, { ...env, DB: database }, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, text, headers: response.headers, queries: counts.queries };
}

type Opened = Awaited<ReturnType<typeof open>>;

function ownOf({ text, headers }: Opened) {
  return {
    nonce: /<script nonce="([^"]*)"/.exec(text)?.[1] ?? "",
    policy: headers.get("Content-Security-Policy") ?? "",
    requestId: headers.get("X-Request-Id") ?? "",
    now: Number(/\\"now\\",\\"[\w-]+@(\d{13})/.exec(text)?.[1]),
  };
}

function withoutOwn(opened: Opened): string {
  const { nonce, requestId, now } = ownOf(opened);
  expect(opened.text).toContain(requestId);
  return opened.text.replaceAll(nonce, "").replaceAll(requestId, "").replaceAll(String(now), "");
}
