import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { ORDER_STATUSES } from "#app/db/schema.server.ts";
import { SITE } from "#tests/workerd/all-routes.ts";

test("explains every status of an order", async () => {
  const html = await (await SELF.fetch(SITE)).text();
  const explained = [...html.matchAll(/<dt\b[^>]*>([\s\S]*?)<\/dt>\s*<dd\b[^>]*>([\s\S]*?)<\/dd>/g)].map(
    ([, name = "", text]) => [name.replace(/<[^>]*>/g, ""), text],
  );
  const statuses = explained.filter(([name]) => ORDER_STATUSES.some((status) => status === name));
  expect(statuses.map(([name]) => name)).toEqual([...ORDER_STATUSES]);
  for (const [name, text] of statuses) expect(text, name).not.toBe("");
});
