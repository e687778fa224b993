import { env } from "cloudflare:workers";
import * as build from "../../build/server/index.js";

export const SITE = "https://growline.example";
/** Headers that a browser sends with a form of the site's own page. */
export const SAME_SITE = { Origin: SITE, Host: new URL(SITE).host };

/** Returns the paths of all routes with an action: pages, and resource routes such as the API's. */
export function routesWithAction(): { pages: string[]; resources: string[] } {
  const withAction = Object.values(build.routes).filter(({ path, module }) => module.action && !path?.includes("*"));
  const pages = withAction.filter(isPage);
  const resources = withAction.filter((route) => !isPage(route));
  return { pages: pages.map(fullPath).sort(), resources: resources.map(fullPath).sort() };
}

export type BuiltRoute = Route & { pattern: string };

/** Returns all routes of the build, with their whole path. That of a layout is its parent's. */
export function allRoutes(): BuiltRoute[] {
  return Object.values(build.routes).map((route) => ({ ...route, pattern: fullPath(route) }));
}

/** Returns the paths of all routes with a loader. */
export function routesWithLoader(): string[] {
  return [...new Set(withLoader().map(fullPath))].sort();
}

/** Returns the paths of all pages with a loader. */
export function pagesWithLoader(): string[] {
  return [...new Set(withLoader().filter(isPage).map(fullPath))].sort();
}

type Route = (typeof build.routes)[string];

function withLoader(): Route[] {
  return Object.values(build.routes).filter(({ path, module }) => module.loader && !path?.includes("*"));
}

export function isPage({ module }: Pick<Route, "module">): boolean {
  return "default" in module && module.default !== undefined;
}

function fullPath({ path, parentId }: Route): string {
  const parent = parentId === undefined ? undefined : build.routes[parentId];
  return `${parent ? fullPath(parent).replace(/\/$/, "") : ""}/${path ?? ""}`.replace(/(.)\/$/, "$1");
}

/** Counts the rows of every table of both databases. */
export async function countRows(): Promise<Record<string, number>> {
  return { ...(await countRowsOf(env.DB)), ...(await countRowsOf(env.DB_SUPPORT)) };
}

async function countRowsOf(database: D1Database): Promise<Record<string, number>> {
  const { results } = await database
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '\\_cf\\_%' escape '\\' order by name",
    )
    .all<{ name: string }>();
  const counts = await database.batch<{ count: number }>(
    results.map(({ name }) => database.prepare(`select count(*) as count from "${name}"`)),
  );
  return Object.fromEntries(results.map(({ name }, at) => [name, counts[at]?.results[0]?.count ?? 0]));
}
