import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";

test("the landing page is rendered by the worker", async () => {
  const response = await SELF.fetch("https://growline.example/");
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("Growline");
});
