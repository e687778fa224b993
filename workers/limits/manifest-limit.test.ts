import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { SITE } from "#tests/workerd/all-routes.ts";
import * as build from "../../build/server/index.js";
import { boundedManifestUrl, lookUps } from "./manifest-limit.ts";

const { version } = build.assets;
const DEEPEST = 5;

test("looks up a bounded number of paths for a request, however they are written", () => {
  const asked = (...paths: string[]) => {
    const query = new URLSearchParams([...paths.map((path) => ["p", path]), ["version", version]]);
    return boundedManifestUrl(new URL(`/__manifest?${query}`, SITE), DEEPEST);
  };
  const once = asked("/a/b", "/a/b", "a/b");
  expect(once?.searchParams.getAll("p")).toEqual(["/a/b"]);
  expect(once?.searchParams.get("version")).toBe(version);
  const deep = asked(`/${"a/".repeat(3000)}`)?.searchParams.getAll("p") ?? [];
  expect(lookUps(deep)).toBe(DEEPEST + 1);
  expect(asked(...Array.from({ length: 1000 }, (_, at) => `/${at}`))).toBeNull();
  // What fills the longest address that Remix asks by, 7,680 characters: a page with links to 340 services.
  const links = Array.from({ length: 340 }, (_, at) => `/services/${100 + at}`);
  expect(asked(...links)?.searchParams.getAll("p")).toEqual(links);
  expect(boundedManifestUrl(new URL("/__manifest", SITE), DEEPEST)?.searchParams.has("p")).toBe(false);
});

test("names the same routes for a path that is cut as for the whole one", async () => {
  const whole = await manifest("/admin/not/a/page/of/the/console");
  expect(Object.keys((await whole.json()) as object)).toContain("routes/admin/not-found");
  const deep = await manifest(`/admin/${"a/".repeat(500)}`);
  expect(Object.keys((await deep.json()) as object)).toContain("routes/admin/not-found");
  const order = await manifest("/admin/orders/7", "/dashboard");
  expect(Object.keys((await order.json()) as object)).toEqual(
    expect.arrayContaining(["routes/admin/orders/order", "routes/dashboard/overview"]),
  );
});

test("refuses more paths than a page has links", async () => {
  const many = await manifest(...Array.from({ length: 500 }, (_, at) => `/${at}`));
  expect(many.status).toBe(400);
  expect((await manifest()).status).toBe(400);
});

function manifest(...paths: string[]): Promise<Response> {
  const query = new URLSearchParams([...paths.map((path) => ["p", path]), ["version", version]]);
  return SELF.fetch(`${SITE}/__manifest?${query}`);
}
