import type { Area } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import { UNKNOWN_ROUTE } from "./route-patterns.ts";

/** By the first segment of a route. Other routes are pages that are the same for everybody. */
const AREAS: Record<string, Area> = {
  account: "accounts",
  admin: "console",
  api: "api",
  auth: "accounts",
  dashboard: "dashboard",
  email: "events",
  functions: "gmail",
  "gmail-sync": "gmail",
  healthz: "probes",
  logout: "accounts",
  push: "chat",
  readyz: "probes",
  "reset-password": "accounts",
  stripe: "events",
  support: "chat",
  upload: "uploads",
};
const DOCUMENTS = ["/api/docs", "/api/openapi.json"];

/** Returns the part of the product that a route is counted by. */
export function areaOf(route: string): Area {
  if (route === UNKNOWN_ROUTE) return "unknown";
  if (DOCUMENTS.includes(route)) return "pages";
  return ownValue(AREAS, route.split("/")[1] ?? "") ?? "pages";
}
