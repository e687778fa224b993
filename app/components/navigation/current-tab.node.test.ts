import { expect, test } from "vitest";
import { currentTab } from "./current-tab.ts";

const TABS = ["/dashboard", "/dashboard/orders", "/dashboard/orders/mass", "/upload"].map((to) => ({ to }));

test("assigns a page to the nearest tab above it", () => {
  expect(currentTab(TABS, "/dashboard")).toBe("/dashboard");
  expect(currentTab(TABS, "/dashboard/orders/7")).toBe("/dashboard/orders");
  expect(currentTab(TABS, "/dashboard/orders/mass/3")).toBe("/dashboard/orders/mass");
  expect(currentTab(TABS, "/uploads")).toBe(null);
  expect(currentTab(TABS, "/")).toBe(null);
});
