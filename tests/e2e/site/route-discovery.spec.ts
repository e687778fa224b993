import { allowConsole, countLoads, expect, test } from "#tests/e2e/fixtures.ts";

test("learns the routes of a page's links, and opens them without loading a page", async ({ page }) => {
  const asked = page.waitForResponse((response) => new URL(response.url()).pathname === "/__manifest");
  await page.goto("/services");
  const answer = await asked;
  expect(answer.status()).toBe(200);
  expect(new URL(answer.url()).searchParams.getAll("p").length).toBeGreaterThan(3);
  const loads = countLoads(page);
  await page.getByRole("link", { name: "Log in" }).first().click();
  await expect(page.getByRole("heading", { name: "Log in" })).toBeVisible();
  expect(loads()).toBe(0);
});

test("links to no other site from a page whose path names one", async ({ page, copy }) => {
  allowConsole(page, /404/);
  await page.goto(`${copy.url}//other.example/path?q=1`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const links = await page
    .locator("a[href], form[action]")
    .evaluateAll((all) =>
      all.map(
        (one) => new URL(one.getAttribute("href") ?? one.getAttribute("action") ?? "", document.baseURI).hostname,
      ),
    );
  expect(links.length).toBeGreaterThan(3);
  expect(links).not.toContain("other.example");
});
