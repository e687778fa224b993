import type { RouteConfigEntry } from "@remix-run/route-config";
import { pagePaths } from "#tools/page-list.ts";
import routes from "../../app/routes.ts";
import { allowConsole, expect, PASSWORD, test } from "./fixtures.ts";

/** Whose digits, calendar and direction are none of the server's. */
const READERS = [
  { locale: "ar-EG", timezoneId: "Africa/Cairo" },
  { locale: "de-DE", timezoneId: "Asia/Kathmandu" },
];
const OUTSIDE_THE_GATE = (routes as RouteConfigEntry[]).flatMap(({ path, file }) =>
  path !== undefined && file.endsWith(".tsx") ? [`/${path}`] : [],
);

for (const reader of READERS) {
  for (const who of ["visitor", "customer", "admin"] as const) {
    test(`for a ${who} who reads ${reader.locale} each page is drawn as the server wrote it`, async ({
      browser,
      copy,
    }) => {
      const context = await browser.newContext({ baseURL: copy.url, ...reader });
      if (who !== "visitor") {
        const { email, password } = copy.demo[who];
        await context.request.post("/auth/login", { form: { email, password }, headers: { Origin: copy.url } });
      }
      const page = await context.newPage();
      // A page that is drawn otherwise is an error on the console, which fails the test.
      allowConsole(page, /status of 404/);
      const area = {
        visitor: /^\/(?!admin|dashboard|upload)/,
        customer: /^\/(dashboard|upload|account|gmail)/,
        admin: /^\/admin/,
      };
      const paths = pagePaths().filter((path) => area[who].test(path));
      expect(paths.length).toBeGreaterThan(8);
      for (const path of paths) {
        await page.goto(path.replace(/:\w+/, "1").replace("*", "nowhere"));
        await page.waitForFunction(() => Object.keys(document).some((key) => key.startsWith("__reactContainer")));
        await expect(page.getByRole("heading", { level: 1 }).first(), path).toBeVisible();
      }
      await context.close();
    });
  }
}

test("a page that is drawn otherwise is noticed", async ({ page }) => {
  await page.route("/privacy-policy", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace("What we keep", "٣ What we keep") });
  });
  const thrown = page.waitForEvent("pageerror").catch(() => null);
  await page.goto("/privacy-policy");
  const noticed = await thrown;
  expect(String(noticed)).toMatch(/Minified React error #4/);
  // The fixture fails every test with an error on its page, this one too.
  test.fail(noticed !== null);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("each page outside the gate is there to be read", async ({ page }) => {
    expect(OUTSIDE_THE_GATE).toEqual(expect.arrayContaining(["/onboarding", "/auth/start", "/auth/login"]));
    for (const path of OUTSIDE_THE_GATE) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
      expect((await page.getByRole("main").textContent())?.length, path).toBeGreaterThan(40);
      expect(await page.locator("html").getAttribute("data-gate"), path).toBeNull();
    }
  });

  test("one signs up, logs out and logs in, and a refusal says what to mend and keeps what was typed", async ({
    page,
  }) => {
    allowConsole(page, /status of 422/);
    const email = `${crypto.randomUUID()}@test.example`;
    await page.goto("/auth/signup");
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill("password");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Password", { exact: true })).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
    await expect(page.getByLabel("E-mail address")).toHaveValue(email);
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL("/dashboard");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.goto("/auth/login");
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForURL("/dashboard");
  });
});
