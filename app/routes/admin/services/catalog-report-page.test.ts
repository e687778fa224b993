import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { catalogChanges } from "#app/db/schema.server.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const GRACE = await signedIn("admin", "Grace Admin");
const NIGHT = Date.now() - 3_600_000;

test("names each service that a night changed, by what and why, and only the changes of the last time", async () => {
  const providerId = await sandboxProvider();
  const likes = await service({ providerId, providerServiceId: "11", name: "Threads likes" });
  await service({ providerId, providerServiceId: "12", name: "Threads views" });
  const of = (
    id: string,
    kind: "price" | "quarantined" | "released" | "unreadable",
    before: string,
    after: string,
  ) => ({
    ...{ providerId, providerServiceId: id, kind, before, after, createdAt: NIGHT },
  });
  await db
    .insert(catalogChanges)
    .values([
      { ...of("11", "price", "0.10", "0.20"), createdAt: NIGHT - 1 },
      of("11", "price", "1.00", "1.10"),
      of("12", "quarantined", "jump", "paused"),
      of("13", "unreadable", "Its type “Moon” is unknown.", '{"service":13}'),
    ]);
  const { html, text } = await openReport(providerId);
  expect(html).toContain(`href="/admin/services/${likes}"`);
  expect(text).toContain("Price: 1 · Unreadable, unchanged: 1 · Needs a decision: 1");
  expect(text).toContain("Threads likes 11 Price Cost 1.00 → 1.10");
  expect(text).toContain("Threads views 12 Needs a decision Implausible price. Off sale until you decide");
  expect(text).toContain('13 Unreadable, unchanged Its type “Moon” is unknown. {"service":13}');
  expect(text).not.toContain("0.20");
});

test("leads from an import to putting on sale what it added, as long as that is off sale", async () => {
  const providerId = await sandboxProvider();
  const terms = { providerId, enabled: false };
  const first = await service({ ...terms, providerServiceId: "21", name: "Threads boosts" });
  const second = await service({ ...terms, providerServiceId: "22", name: "Threads quotes" });
  await service({ ...terms, enabled: true, providerServiceId: "23", name: "Threads polls" });
  const added = ["21", "22", "23"].map((providerServiceId) => ({
    ...{ providerId, providerServiceId, kind: "added" as const, after: `Entry ${providerServiceId}`, createdAt: NIGHT },
  }));
  await db.insert(catalogChanges).values(added);
  const { html, text } = await openReport(providerId);
  expect(text).toContain("Put 2 new services on sale…");
  const link = /href="(\/admin\/services\/bulk\?[^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(new URLSearchParams(link.split("?")[1]).getAll("id").toSorted()).toEqual([`${first}`, `${second}`].toSorted());
  const bulk = textOf(await open(link));
  expect(bulk).toContain("2 services change");
  expect(bulk).toContain("Put 2 services on sale");
});

async function openReport(providerId: number): Promise<{ html: string; text: string }> {
  const html = await open(`/admin/providers/${providerId}`);
  return { html, text: textOf(html) };
}

async function open(path: string): Promise<string> {
  const response = await SELF.fetch(SITE + path, { headers: { Cookie: GRACE.cookie } });
  expect(response.status).toBe(200);
  return response.text();
}

/** Returns the text of a page with single spaces. */
function textOf(html: string): string {
  return html
    .replace(/<script[\s\S]*?<\/script>/g, " ")
    .replace(/<!-- -->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replace(/\s+/g, " ");
}
