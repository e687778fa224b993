import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { tiers, wallets } from "#app/db/schema.server.ts";
import { browserCookie, PUBLIC_COOKIES } from "#app/http/cookies.ts";
import { allRoutes, isPage, routesWithLoader, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { COOKIE_SPELLINGS } from "#tests/workerd/cookie-spellings.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor } from "#tests/workerd/support-visitor.ts";
import { KEPT_PATHS } from "#workers/page-cache.ts";

/** The same for everybody, byte for byte. */
const SHARED = [
  "/catalog.json",
  "/api/openapi.json",
  "/site.webmanifest",
  "/robots.txt",
  "/sitemap.xml",
  "/updates.xml",
];

test("lets no cache keep what only one user may see", async () => {
  const { cookie } = await signedIn("admin");
  for (const path of ["/dashboard", "/dashboard/orders", "/dashboard.data", "/admin/customers", "/dashboard/no-page"]) {
    const response = await SELF.fetch(SITE + path, { headers: { Cookie: cookie } });
    await response.body?.cancel();
    expect(response.headers.get("Cache-Control"), path).toBe("private, no-store");
  }
});

test("lets a browser keep a public page for its back button, and no shared cache", async () => {
  for (const path of ["/", "/privacy-policy"]) {
    const response = await SELF.fetch(SITE + path);
    await response.body?.cancel();
    expect(response.headers.get("Cache-Control"), path).toBe("private, no-cache");
  }
});

test("shows a stranger nothing of who asked for the same address before, on any route, and keeps only what is the same for everybody", async () => {
  const account = await signedIn("admin", "Ada Canary");
  const chat = await newVisitor();
  const file = await sentFile(chat);
  const kept = new Set<string>();
  const statuses = new Map<string, number>();
  let shown = 0;
  for (const route of routesWithLoader()) {
    const named = route.replace("/support/sessions/:id", `/support/sessions/${chat.sessionId}`).replace(":file", file);
    const path = named.replaceAll(/:\w+/g, "1");
    const ask = async (headers: Record<string, string>) => {
      const response = await SELF.fetch(SITE + path, { headers, redirect: "manual" });
      const cache = response.headers.get("Cache-Control") ?? "";
      if (!/^((private, )?no-store|private, no-cache)$/.test(cache)) kept.add(route);
      return { status: response.status, text: [await response.text(), ...[...response.headers].flat()].join("\n") };
    };
    const own = await ask({ Cookie: account.cookie.replace("=", " =") });
    statuses.set(route, own.status);
    if (own.text.includes(account.email)) shown++;
    const stranger = await ask({});
    for (const secret of [account.email, account.sessionId, "Ada Canary"])
      expect(stranger.text, path).not.toContain(secret);
  }
  expect([...kept].sort()).toEqual([...SHARED].sort());
  expect(shown).toBeGreaterThan(30);
  for (const route of [
    "/dashboard/account/export",
    "/support/sessions/:id/files/:file",
    "/dashboard/transactions.csv",
  ]) {
    expect([route, statuses.get(route)]).toEqual([route, 200]);
  }
});

test("lets a shared cache keep only what is the same for everybody, with every parameter that a resource reads", async () => {
  await service();
  const gold = { slot: 1, name: "Gold", kind: "percent", basisPoints: 1000, createdAt: 1, updatedAt: 1 } as const;
  const [tier] = await db.insert(tiers).values(gold).returning({ id: tiers.id });
  const [customer, admin] = [await signedIn("customer", "Ada Canary"), await signedIn("admin", "Grace Canary")];
  await db
    .update(wallets)
    .set({ tierId: tier?.id ?? 0 })
    .where(eq(wallets.userId, customer.userId));
  const read = recordParameters();
  const asked: string[] = [];
  const shared: string[] = [];
  for (const route of allRoutes().filter((one) => one.module.loader && !isPage(one))) {
    const path = route.pattern.replaceAll(/[:*]\w*/g, "1");
    const own = path.startsWith("/admin") ? admin : customer;
    const look = async (query: Record<string, string>): Promise<void> => {
      const address = `${path}?${new URLSearchParams(query)}`;
      asked.push(address);
      read.clear();
      const answer = await answerTo(address, own.cookie);
      const names = [...read].filter((name) => !Object.hasOwn(query, name) && !OF_REMIX.includes(name));
      if (answer.mayBeShared) {
        shared.push(address);
        for (const cookie of [null, own === admin ? customer.cookie : admin.cookie]) {
          expect(await answerTo(address, cookie), address).toEqual(answer);
        }
      }
      // What else a shared answer depends on may be read only now.
      if (Object.keys(query).length === 0 || answer.mayBeShared) {
        for (const name of names) await look({ ...query, [name]: NETWORK });
      }
    };
    await look({});
  }
  // Else this would prove nothing.
  expect(shared).toEqual(expect.arrayContaining(SHARED.map((path) => `${path}?`)));
  expect(asked).toEqual(expect.arrayContaining(["tier", "network"].map((name) => `/catalog.json?${name}=${NETWORK}`)));
});

test.each(COOKIE_SPELLINGS)(
  "keeps no page of a session whose cookie is written %s, and serves it none",
  async (spelling, write, isFound) => {
    const account = await signedIn("admin", "Ada Canary");
    const [name = "", value = ""] = account.cookie.split(/=(.*)/);
    const paths = await keptPaths();
    const turn = COOKIE_SPELLINGS.findIndex(([one]) => one === spelling) % paths.length;
    // In `npm test` two pages each, in turn: no page reads a cookie in its own way.
    const some = [...paths.slice(turn), ...paths].slice(0, atScale(2, paths.length));
    for (const path of some) {
      const own = await textOf(path, { Cookie: write(name, value) });
      // Else this would prove nothing.
      expect(own.includes(account.email), path).toBe(isFound);
      const keep = await textOf(path);
      expect(viewersIn(keep), path).toEqual(["null"]);
      for (const secret of [account.email, account.sessionId, "Ada Canary"]) expect(keep, path).not.toContain(secret);
      // Also once a stranger's page is kept.
      expect((await textOf(path, { Cookie: write(name, value) })).includes(account.email), path).toBe(isFound);
    }
  },
);

test.each(["Bearer x", "bearer\tx", "Basic eDp5", ""])(
  "keeps no page of a request with the authorization %j",
  async (Authorization) => {
    await service();
    await textOf("/", { Authorization });
    const { cookie } = await signedIn("customer", "Ada Canary");
    expect(viewersIn(await textOf("/", { Cookie: cookie, Authorization }))).not.toEqual(["null"]);
    expect(viewersIn(await textOf("/"))).toEqual(["null"]);
  },
);

test("shows a stranger the same public page with every cookie of ours that a browser may send with it", async () => {
  const request = new Request(SITE);
  const options = { maxAgeSeconds: 60, secrets: env.SESSION_SECRET };
  // The status page says how long ago it was checked.
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const path of await keptPaths()) {
    const plain = await textOf(path, { Cookie: "other=1" });
    for (const name of PUBLIC_COOKIES) {
      const header = await browserCookie(request, name, options).serialize("1.1");
      // With a cookie that isn't ours, no kept page is served: this one is rendered with what the browser sent.
      const own = await textOf(path, { Cookie: `other=1; ${header.split(";")[0]}` });
      expect(withoutOwn(own), `${path} with ${name}`).toBe(withoutOwn(plain));
    }
  }
});

/** Parameters that Remix reads of every address. */
const OF_REMIX = ["index", "_data", "_routes"];
/** What every parameter is tried with: most have no other meaning than to be there. */
const NETWORK = "Instagram";
type Answer = { status: number; text: string; mayBeShared: boolean };

async function answerTo(path: string, cookie: string | null): Promise<Answer> {
  const headers: Record<string, string> = cookie === null ? {} : { Cookie: cookie };
  const response = await SELF.fetch(SITE + path, { headers, redirect: "manual" });
  const cache = response.headers.get("Cache-Control") ?? "";
  return { status: response.status, text: await response.text(), mayBeShared: !/\b(private|no-store)\b/.test(cache) };
}

/** Returns the names of the parameters that are read from now on, of any address. */
function recordParameters(): Set<string> {
  const names = new Set<string>();
  const { get, getAll, has } = URLSearchParams.prototype;
  vi.spyOn(URLSearchParams.prototype, "get").mockImplementation(function (this: URLSearchParams, name) {
    names.add(name);
    return get.call(this, name);
  });
  vi.spyOn(URLSearchParams.prototype, "getAll").mockImplementation(function (this: URLSearchParams, name) {
    names.add(name);
    return getAll.call(this, name);
  });
  vi.spyOn(URLSearchParams.prototype, "has").mockImplementation(function (this: URLSearchParams, name) {
    names.add(name);
    return has.call(this, name);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return names;
}

async function keptPaths(): Promise<string[]> {
  return [...KEPT_PATHS, `/services/${await service()}-likes`];
}

async function textOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  return (await SELF.fetch(SITE + path, { headers })).text();
}

/** Returns the data of the page's loaders, as the server sent it. */
function dataIn(html: string): string {
  const sent = html.matchAll(/streamController\.enqueue\(("(?:[^"\\]|\\.)*")\)/g);
  return [...sent].map(([, text = '""']) => JSON.parse(text)).join("");
}

/** Returns the `viewer` of each loader whose data is in the page: "null", or where in the data one is. */
function viewersIn(html: string): string[] {
  const values: unknown[] = JSON.parse(dataIn(html).split("\n")[0] ?? "");
  const name = `_${values.indexOf("viewer")}`;
  const found = values.flatMap((value) =>
    value instanceof Object && name in value ? [(value as Record<string, unknown>)[name]] : [],
  );
  // How turbo-stream writes null.
  return found.map((at) => (at === -5 ? "null" : String(at)));
}

/** Returns what a page shows and its data, without what every response has of its own: nonce, request ID and times. */
function withoutOwn(html: string): string {
  // What follows the page's text depends on how fast it was rendered.
  return (html.slice(0, html.indexOf("</body>")) + dataIn(html))
    .replaceAll(/nonce="[^"]*"/g, "")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "")
    .replaceAll(/\b\d{13}\b/g, "")
    .replaceAll(/\d\d:\d\d UTC/g, "");
}

async function sentFile({ sessionId, cookie }: { sessionId: string; cookie: string }): Promise<string> {
  const path = `/support/sessions/${sessionId}/files?clientId=1&name=a.png`;
  const body = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  await SELF.fetch(SITE + path, { method: "POST", body, headers: { Cookie: cookie, Origin: SITE } });
  const history = await SELF.fetch(`${SITE}/support/sessions/${sessionId}/messages`, { headers: { Cookie: cookie } });
  const { messages } = await history.json<{ messages: { file?: { id: string } }[] }>();
  return messages.find((message) => message.file)?.file?.id ?? "none";
}
