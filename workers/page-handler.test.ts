import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { ServerBuild } from "@remix-run/cloudflare";
import { matchRoutes } from "@remix-run/react";
import { expect, test } from "vitest";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import * as built from "../build/server/index.js";
import worker from "./app.ts";
import { requestedSegment, withRoutesFor } from "./page-handler.ts";

const build = built as unknown as ServerBuild;

type RouteObject = Parameters<typeof matchRoutes>[0][number];

const ODD_PATHS = [
  "/nothing",
  "/nothing/here",
  "//dashboard",
  "/DASHBOARD/orders",
  "/%64ashboard/orders/7",
  "/dashboard//",
];

test("finds the same routes among the few of a path's first segment as among all", () => {
  const all = routeTree(build);
  const paths = Object.keys(build.routes).map((id) => addressOf(id));
  expect(paths.length).toBeGreaterThan(100);
  for (const path of new Set([...paths, ...ODD_PATHS])) {
    const few = withRoutesFor(build, requestedSegment(path) ?? "");
    // A page's HTML also names the routes of the addresses above its own.
    const above = path.split("/").map((_, at, parts) => parts.slice(0, at).join("/") || "/");
    for (const one of [path, ...above]) {
      expect(idsOf(routeTree(few), one), `${one} at ${path}`).toEqual(idsOf(all, one));
    }
    expect(Object.keys(few.assets.routes)).toEqual(Object.keys(few.routes));
  }
  const dashboard = withRoutesFor(build, "dashboard");
  expect(Object.keys(dashboard.routes).length).toBeLessThan(Object.keys(build.routes).length / 3);
});

test("tells a page's script the routes of another page, and gives it its data", async () => {
  const { version } = build.assets;
  const manifest = await open(`/__manifest?p=%2Fprivacy-policy&version=${version}`);
  expect(Object.keys(await manifest.json())).toContain("routes/site/privacy-policy");
  const { cookie } = await signedIn("customer", "Ada Customer");
  const data = await open("/dashboard/orders.data", { Cookie: cookie });
  expect(data.status).toBe(200);
  expect(await data.text()).toContain("Ada Customer");
  expect((await open("/nothing/here")).status).toBe(404);
});

test("reads who is logged in once for all loaders of a page", async () => {
  const { cookie } = await signedIn("customer");
  const { database, counts, byStatement } = countedDatabase(env.DB);
  const response = await open("/dashboard", { Cookie: cookie }, { DB: database });
  expect(await response.text()).toContain("Log out");
  expect([...byStatement.keys()].filter((text) => text.includes('"auth_sessions"'))).toHaveLength(1);
  // The session, the wallet of the frame and the form, and the batch of the form and the orders.
  expect(counts.queries).toBe(5);
});

test("gives the page that answers a form what the form changed", async () => {
  const { cookie } = await signedIn("customer");
  const form = new URLSearchParams({ intent: "name", fullName: "Grace Changed" });
  const headers = { ...SAME_SITE, Cookie: cookie };
  const response = await open("/dashboard/account", headers, {}, form);
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain("Grace Changed");
  expect(text).not.toContain("Test Customer");
});

async function open(path: string, headers: Record<string, string> = {}, given: Partial<Env> = {}, body?: BodyInit) {
  const context = createExecutionContext();
  const request = new Request(SITE + path, { headers, ...(body && { method: "POST", body }) });
  const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], { ...env, ...given }, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return new Response(text, response);
}

function routeTree({ routes }: ServerBuild, parent?: string): RouteObject[] {
  return Object.values(routes)
    .filter(({ parentId }) => parentId === parent)
    .map(({ id, path, index }) => {
      const at = path === undefined ? { id } : { id, path };
      return index ? { ...at, index: true } : { ...at, children: routeTree({ routes } as ServerBuild, id) };
    });
}

function idsOf(routes: RouteObject[], path: string) {
  return matchRoutes(routes, path)?.map(({ route }) => route.id);
}

/** An address of the route, with something for each of its parameters. */
function addressOf(id: string): string {
  const { path = "", parentId } = build.routes[id] ?? {};
  const own = path.replaceAll(/:\w+/g, "7").replace("*", "else");
  const parent = parentId === undefined ? "" : addressOf(parentId);
  return `${parent.replace(/\/$/, "")}/${own}`;
}
