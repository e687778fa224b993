import { allowConsole, expect, signIn, test, untilHydrated } from "#tests/e2e/fixtures.ts";

test("returns 404 for an unknown page in the site's design, with links to no other site, and remembers the theme before the first paint", async ({
  page,
  copy,
}) => {
  allowConsole(page, /404|a real fault/);
  // A path that names another site.
  const response = await page.goto(`${copy.url}//other.example/path?q=1`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: "Growline" })).toBeVisible();
  await test.step("links", async () => {
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
  await test.step("an unhandled error, which is reported, but not the load that a newer one aborted", async () => {
    const reported: string[] = [];
    page.on("pageerror", (error) => reported.push(String(error)));
    await untilHydrated(page);
    await page.evaluate(() => {
      void Promise.reject(new DOMException("The user aborted a request.", "AbortError"));
      void Promise.reject(new Error("a real fault"));
    });
    await expect.poll(() => reported).toContainEqual(expect.stringContaining("a real fault"));
    expect(reported).toHaveLength(1);
  });
  await test.step("the theme", async () => {
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await page.getByRole("button", { name: "Use the light theme" }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    expect(await page.evaluate(() => localStorage.getItem("theme"))).toBe("light");
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.name === "first-paint")
            sessionStorage.setItem("painted", document.documentElement.dataset.theme ?? "");
        }
      }).observe({ type: "paint", buffered: true });
    });
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem("painted"))).toBe("light");
  });
});

test("keeps the console's navigation where a page of it isn't there", { tag: "@nightly" }, async ({ page, copy }) => {
  allowConsole(page, /404/);
  for (const [path, list] of [
    ["/admin/services/99999999", "Services"],
    ["/admin/nowhere", "Today"],
  ] as const) {
    const read = page.waitForResponse((response) => new URL(response.url()).pathname === path);
    await signIn(page, copy, "admin", path);
    expect((await read).status(), path).toBe(404);
    await expect(page).toHaveTitle(/^Page not found/);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Reports" }).click();
    await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Page not found");
    await page.goBack();
    await page.getByRole("link", { name: `Go to ${list}` }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(list);
  }
});

test("sends security headers and a policy that allows only our own scripts, and refuses a form from another site", async ({
  request,
  copy,
}) => {
  const response = await request.get(copy.url);
  const headers = response.headers();
  const policy = headers["content-security-policy"] ?? "";
  expect(policy).toMatch(/script-src 'nonce-[^']+' 'strict-dynamic'/);
  expect(policy).not.toContain("unsafe-inline");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin-allow-popups");
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  const again = (await request.get(copy.url)).headers()["content-security-policy"];
  expect(again).not.toBe(policy);

  const posted = await request.post(`${copy.url}/logout`, { headers: { Origin: "https://evil.example" } });
  expect(posted.status()).toBe(403);
});
