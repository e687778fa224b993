import { expect, test } from "vitest";
import * as build from "../../build/server/index.js";
import { areaOf } from "./route-areas.ts";
import { routePatterns } from "./route-patterns.ts";

const patternOf = routePatterns(build);

const CASES: [path: string, pattern: string, area: string][] = [
  ["/", "/", "pages"],
  ["/_root.data", "/", "pages"],
  ["/services/1-instagram-followers", "/services/:service", "pages"],
  ["/api/docs", "/api/docs", "pages"],
  ["/api/v2/", "/api/v2", "api"],
  ["/API/v1/Create_Order", "/api/v1/create_order", "api"],
  ["/api/v9/secret-token", "/api/*", "api"],
  ["/dashboard/orders/mass", "/dashboard/orders/mass", "dashboard"],
  ["/dashboard/orders/17.data", "/dashboard/orders/:id", "dashboard"],
  ["/dashboard/orders.csv", "/dashboard/orders.csv", "dashboard"],
  ["/auth/v1/passkeys/registration/options", "/auth/v1/passkeys/registration/options", "accounts"],
  ["/auth/v1/passkeys/abc", "/auth/v1/passkeys/:id", "accounts"],
  ["/support/sessions/user_17/messages", "/support/sessions/:id/messages", "chat"],
  ["/support/sessions/user_17/socket", "/support/sessions/:id/socket", "chat"],
  ["/admin/support/user_17", "/admin/support/:id", "console"],
  ["/admin/inbox/socket", "/admin/inbox/socket", "console"],
  ["/stripe/webhook", "/stripe/webhook", "events"],
  ["/wp-login.php", "/*", "unknown"],
  ["/dashboard/nothing/here", "/*", "unknown"],
  ["/%E0%A4%A", "/*", "unknown"],
];

test("names the route of a path by its pattern, and the part of the product it belongs to", () => {
  for (const [path, pattern, area] of CASES) {
    expect(patternOf(path), path).toBe(pattern);
    expect(areaOf(pattern), path).toBe(area);
  }
});

test("never names a route by what was asked for", () => {
  const secret = "tok-1a2b3c";
  const patterns = Object.values(build.routes).map(({ path = "" }) => `/${path.replace(/:\w+|\*/g, secret)}/${secret}`);
  expect(patterns.length).toBeGreaterThan(80);
  for (const path of patterns) expect(patternOf(path)).not.toContain(secret);
});
