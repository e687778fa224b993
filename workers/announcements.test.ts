import { SELF } from "cloudflare:test";
import { desc, eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { announcementInput } from "#app/console/stores/announcement-store.server.ts";
import { announcements, auditLog } from "#app/db/schema.server.ts";
import { type Banner, bannerAt } from "#app/settings/announcements.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";

const PATHS = ["/", "/privacy-policy", "/services", "/auth/login", "/updates"];

afterEach(async () => {
  const admin = await signedIn("admin");
  for (const { id, version } of await db.select().from(announcements)) {
    await submit(admin, { intent: "delete", id: String(id), version: String(version) });
  }
});

test("shows a banner above kept and other pages from its start, escaped, until the reader dismisses it or it is changed", async () => {
  await service();
  const admin = await signedIn("admin", "Al");
  for (const path of PATHS) expect(await open(path)).not.toContain("Announcement");
  const given = form({ body: 'Prices <b>fall</b> & "more"', link: "/services?a=1&b=2", linkLabel: "See <them>" });
  expect((await submit(admin, { intent: "save", once: crypto.randomUUID(), ...given })).status).toBe(302);
  const text = "Prices &lt;b&gt;fall&lt;/b&gt; &amp; &quot;more&quot;";
  // Twice, so that the pages that are kept come from the cache.
  for (const path of [...PATHS, ...PATHS]) {
    const page = await open(path);
    expect(page, path).toContain(text);
    expect(page, path).toContain('href="/services?a=1&amp;b=2"');
    expect(page, path).not.toContain("<b>fall");
  }
  const key = /name="announcement" value="([\d.]+)"/.exec(await open("/"))?.[1] ?? "";
  const dismissed = await dismiss(key, "/services?page=1");
  expect([dismissed.status, dismissed.headers.get("Location")]).toEqual([303, "/services?page=1"]);
  const cookie = dismissed.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  for (const path of [...PATHS, ...PATHS]) expect(await open(path, cookie), path).not.toContain(text);
  expect(await open("/")).toContain(text);
  const [row] = await db.select().from(announcements);
  const [id, version] = [String(row?.id), String(row?.version)];
  expect((await submit(admin, { intent: "save", id, version, ...given, body: "Prices rise" })).status).toBe(302);
  expect(await open("/", cookie)).toContain("Prices rise");
  const stale = await submit(admin, { intent: "save", id, version, ...given, body: "Prices stay" }, `?edit=${id}`);
  expect(stale.status).toBe(409);
  const conflict = await stale.text();
  for (const text of ["Saved meanwhile", "Prices rise", "Prices stay"]) expect(conflict).toContain(text);
  const [entry] = await db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
  expect(entry).toMatchObject({
    actorName: "Al",
    action: "announcement.change",
    detail: { body: ['Prices <b>fall</b> & "more"', "Prices rise"] },
  });
});

test("shows customers and visitors each their own banner, and none of a page's data to caches", async () => {
  const [admin, customer] = [await signedIn("admin"), await signedIn()];
  for (const audience of ["customers", "visitors"]) {
    const given = form({ audience, body: `For ${audience}` });
    expect((await submit(admin, { intent: "save", once: crypto.randomUUID(), ...given })).status).toBe(302);
  }
  for (const path of ["/", "/privacy-policy"]) {
    expect(await open(path)).toContain("For visitors");
    expect(await open(path)).not.toContain("For customers");
    expect(await open(path, customer.cookie)).toContain("For customers");
    expect(await open(path, customer.cookie)).not.toContain("For visitors");
  }
  // The console shows none: its pages fill the window.
  expect(await open("/admin/orders", admin.cookie)).not.toContain('aria-label="Announcement"');
});

test("lists an update on /updates once it has started, and creates one once however often its form arrives", async () => {
  const admin = await signedIn("admin");
  const once = crypto.randomUUID();
  const given = form({ kind: "update", body: "We answer at night now" });
  for (let time = 0; time < 2; time++) await submit(admin, { intent: "save", once, ...given });
  const later = form({
    kind: "update",
    body: "Not yet",
    startsAt: Date.now() + HOUR_MS,
    endsAt: Date.now() + 2 * HOUR_MS,
  });
  await submit(admin, { intent: "save", once: crypto.randomUUID(), ...later });
  const page = await open("/updates");
  expect(page.match(/<p[^>]*>We answer at night now/g)).toHaveLength(1);
  expect(page).not.toContain("Not yet");
  expect(await open("/")).not.toContain("We answer at night now");
  expect(await db.select().from(announcements).where(eq(announcements.body, "We answer at night now"))).toHaveLength(1);
});

test("leads back nowhere else after a dismissal, and takes no other key", async () => {
  for (const referer of ["https://evil.example/x", "not a url", ""]) {
    const { headers } = await dismiss("1.1", referer);
    expect(headers.get("Location")).toBe("/");
  }
  for (const key of ["", "x", "1", "1.1; Path=/", "9".repeat(30)]) expect((await dismiss(key, "/")).status).toBe(400);
  expect((await SELF.fetch(`${SITE}/announcements/dismiss`)).status).toBe(405);
});

test("takes only texts of one line, links that stay on the site or use https, and times that make sense", () => {
  const now = Date.now();
  const isTaken = (given: object) => announcementInput.safeParse(form(given)).success;
  expect(isTaken({})).toBe(true);
  for (const link of ["/services", "/a?b=c#d", "https://a.example/x"])
    expect(isTaken({ link, linkLabel: "x" })).toBe(true);
  const links = [
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "http://a.example",
    "data:x",
    "services",
    "https://",
  ];
  for (const link of links) expect(isTaken({ link, linkLabel: "x" }), link).toBe(false);
  const wrong = [
    { body: "" },
    { body: "x".repeat(301) },
    { body: "two\nlines" },
    { link: "/services" },
    { linkLabel: "x" },
    { kind: "popup" },
    { audience: "nobody" },
    { startsAt: now, endsAt: now },
    { endsAt: now + 400 * 24 * HOUR_MS },
  ];
  for (const given of wrong) expect(isTaken(given), JSON.stringify(given)).toBe(false);
});

test("shows the banner that started last of those that run for the reader, from its first to before its last moment", () => {
  const banner = (id: number, audience: Banner["audience"], startsAt: number, endsAt: number): Banner => ({
    ...{ id, audience, startsAt, endsAt, version: 1, body: "", link: null, linkLabel: null },
  });
  const all = [banner(1, "everyone", 0, 100), banner(2, "customers", 10, 20), banner(3, "visitors", 10, 20)];
  const shown = (reader: "visitor" | "customer" | "staff", at: number) => bannerAt(all, reader, at)?.id ?? null;
  expect([-1, 0, 9, 10, 19, 20, 99, 100].map((at) => shown("customer", at))).toEqual([null, 1, 1, 2, 2, 1, 1, null]);
  expect([shown("visitor", 10), shown("staff", 10)]).toEqual([3, 2]);
});

function form(
  given: Partial<Record<"kind" | "audience" | "body" | "link" | "linkLabel", string>> & {
    startsAt?: number;
    endsAt?: number;
  },
) {
  const now = Date.now();
  const { startsAt = now - HOUR_MS, endsAt = now + HOUR_MS, ...rest } = given;
  const typed = (at: number) => new Date(at).toISOString().slice(0, 16);
  const plain = { kind: "banner", audience: "everyone", body: "Hello", link: "", linkLabel: "" };
  return { ...plain, ...rest, startsAt: typed(startsAt), endsAt: typed(endsAt) };
}

function submit({ cookie }: SignedInAccount, fields: Record<string, string>, search = ""): Promise<Response> {
  const body = new URLSearchParams(fields);
  const headers = { ...SAME_SITE, Cookie: cookie };
  return SELF.fetch(`${SITE}/admin/announcements${search}`, { method: "POST", headers, body, redirect: "manual" });
}

function dismiss(announcement: string, from: string): Promise<Response> {
  const headers = { ...SAME_SITE, Referer: from.startsWith("/") ? SITE + from : from };
  const body = new URLSearchParams({ announcement });
  return SELF.fetch(`${SITE}/announcements/dismiss`, { method: "POST", headers, body, redirect: "manual" });
}

async function open(path: string, cookie = ""): Promise<string> {
  return (await SELF.fetch(SITE + path, { headers: cookie ? { Cookie: cookie } : {} })).text();
}
