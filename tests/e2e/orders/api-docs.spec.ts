import { expect, holdScripts, signIn, test } from "#tests/e2e/fixtures.ts";

test("places an order without a charge with a test key created in the docs, and shows samples in a chosen language", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  const before = await balance(copy);
  await signIn(page, copy, "customer", "/api/docs");
  const article = page.getByRole("article", { name: "Place an order" }).first();

  await test.step("serves the docs at two URLs and names one as canonical", async () => {
    await expect(page.getByRole("heading", { name: "API docs", level: 1 })).toBeVisible();
    await expect(page.locator('link[rel="canonical"]')).toHaveAttribute("href", /\/api\/docs$/);
    const other = await page.request.get("/docs/api");
    expect(other.status()).toBe(200);
    expect(await other.text()).toMatch(/<link rel="canonical" href="[^"]*\/api\/docs"/);
    expect((await page.request.get("/api/elsewhere")).headers()["content-type"]).toContain("application/problem+json");
  });

  await test.step("applies the language to the whole page, with and without scripts", async () => {
    await expect(article.getByText("curl 'http").first()).toBeVisible();
    await article.getByRole("link", { name: "PHP" }).click();
    await expect(article.getByText("curl_init(").first()).toBeVisible();
    await expect(page.getByText("curl_init(")).toHaveCount(await page.getByRole("article").count());
    await page.getByRole("region", { name: "Webhooks" }).getByRole("link", { name: "Go", exact: true }).click();
    await expect(page.getByText("func isSigned(")).toBeVisible();
    await expect(article.getByText("curl 'http").first()).toBeVisible();
    expect(await (await page.request.get("/api/docs?lang=python")).text()).toContain("import requests");
  });

  await test.step("refuses a live key, creates a test key and places an order with it", async () => {
    await expect(page.getByText("Authorization: Bearer YOUR_API_KEY", { exact: true })).toBeVisible();
    const key = page.getByRole("textbox", { name: "Test key" });
    await key.fill(copy.demo.customer.apiKey);
    await expect(key).toHaveAccessibleDescription(/live key and would charge you/);
    await page.getByRole("button", { name: "Create test key" }).click();
    await expect(key).toHaveValue(/^gl_test_/);
    // Whole, so that a copied sample runs.
    await expect(page.getByText(/^Authorization: Bearer gl_test_[0-9a-f]{54}$/)).toBeVisible();
    await article.getByText("Try it").click();
    await article.getByRole("button", { name: "Send" }).click();
    await expect(article.getByText("201 Created", { exact: true })).toBeVisible();
    await expect(article.getByRole("status")).toContainText('"status": "Pending"');
    expect(await balance(copy)).toBe(before);
  });

  await test.step("links a problem type to its explanation, and keeps no key", async () => {
    const refused = (await (await page.request.post("/api/v1/create_order", { data: {} })).json()) as { type: string };
    await page.goto(refused.type);
    await expect(page.locator(":target")).toContainText("The key is missing, mistyped, revoked or expired.");
    await expect(page.getByRole("textbox", { name: "Test key" })).toHaveValue("");
  });
});

test("adds the form of an operation that was opened before hydration", { tag: "@nightly" }, async ({ page }) => {
  const releaseScripts = await holdScripts(page);
  await page.goto("/api/docs", { waitUntil: "commit" });
  const article = page.getByRole("article", { name: "Place an order" }).first();
  await article.getByText("Try it").click();
  await expect(article.getByRole("button", { name: "Send" })).toHaveCount(0);
  releaseScripts();
  await expect(article.getByRole("button", { name: "Send" })).toBeVisible();
});

async function balance(copy: { url: string; demo: { customer: { apiKey: string } } }): Promise<unknown> {
  const headers = { Authorization: `Bearer ${copy.demo.customer.apiKey}` };
  return (await fetch(`${copy.url}/api/balance`, { headers }))
    .json()
    .then((body) => (body as { balance: string }).balance);
}
