import type { RouteConfigEntry } from "@remix-run/route-config";
import routes from "#app/routes.ts";
import { allowConsole, expect, sessionOf, signIn, signUpByRequest, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { pagePaths } from "#tools/pages/page-list.ts";

type Reader = "visitor" | "customer" | "admin";

/** Readers whose digits, calendar and direction differ from the server's. */
const READERS: { locale: string; timezoneId: string; who: Reader[] }[] = [
  { locale: "ar-EG", timezoneId: "Africa/Cairo", who: ["visitor", "customer", "admin"] },
  // axe.spec.ts opens every page in this locale, but of the pages outside the dashboard, none as a customer.
  { locale: "de-DE", timezoneId: "Asia/Kathmandu", who: ["customer"] },
];
const OUTSIDE_THE_GATE = (routes as RouteConfigEntry[]).flatMap(({ path, file }) =>
  path !== undefined && file.endsWith(".tsx") ? [`/${path}`] : [],
);

/** Shows dates, figures and lists of each kind. Pages share how they write them. */
const FIGURES = ["/dashboard/orders", "/dashboard/transactions"];

test("hydrates a customer's pages of dates and figures in ar-EG without a mismatch", async ({ browser, copy }) => {
  const storageState = await sessionOf(browser, copy, "customer");
  const locale = { locale: "ar-EG", timezoneId: "Africa/Cairo" };
  const context = await browser.newContext({ baseURL: copy.url, storageState, ...locale });
  const page = await context.newPage();
  // A hydration mismatch is a console error, which fails the test.
  for (const path of FIGURES) {
    await page.goto(path);
    await untilHydrated(page);
    await expect(page.getByRole("heading", { level: 1 }).first(), path).toBeVisible();
  }
  await context.close();
});

for (const { who: roles, ...reader } of READERS) {
  for (const who of roles) {
    test(`hydrates every ${who} page in ${reader.locale} without a mismatch`, {
      tag: "@nightly",
    }, async ({ browser, copy }) => {
      const context = await browser.newContext({ baseURL: copy.url, ...reader });
      if (who !== "visitor") {
        const { email, password } = copy.demo[who];
        await context.request.post("/auth/login", { form: { email, password }, headers: { Origin: copy.url } });
      }
      const page = await context.newPage();
      // A hydration mismatch is a console error, which fails the test.
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
        await untilHydrated(page);
        await expect(page.getByRole("heading", { level: 1 }).first(), path).toBeVisible();
      }
      await context.close();
    });
  }
}

const WRITTEN = [
  {
    locale: "de-DE",
    balance: "1.234,56\u00a0$",
    charge: /^Order · \d+,\d{2}\u00a0\$$/,
    thousand: "1.000",
    day: /^\d+\. \p{L}+/u,
  },
  { locale: "en-US", balance: "$1,234.56", charge: /^Order · \$\d+\.\d{2}$/, thousand: "1,000", day: /^\p{L}+ \d+/u },
];

for (const { locale, balance, charge, thousand, day } of WRITTEN) {
  test(`shows ${balance} and ${thousand} in ${locale}, from the server and after hydration`, {
    tag: "@nightly",
  }, async ({ page, browser, copy }) => {
    const context = await browser.newContext({ baseURL: copy.url, locale });
    const theirs = await context.newPage();
    const response = await theirs.goto("/");
    expect(response?.headers().vary).toContain("Accept-Language");
    const loaded = await theirs.request.get("/_root.data");
    expect(loaded.headers().vary).toContain("Accept-Language");
    const calculator = theirs.getByRole("form", { name: "Price calculator" });
    await calculator.getByLabel("Quantity").fill("1000");
    await expect(calculator.getByText("Quantity").locator("xpath=../dd")).toHaveText(thousand);
    await expect(calculator.getByRole("button", { name: thousand, exact: true })).toBeVisible();
    await expect(calculator.getByRole("button", { name: /^Order/ })).toHaveText(charge);

    const email = await signUpByRequest(theirs);
    await signIn(page, copy, "admin", `/admin/customers?q=${encodeURIComponent(email)}`);
    await page.getByRole("link", { name: email }).click();
    await page.waitForURL(/customers\/[\w-]{22}/);
    await page.getByLabel("Amount in USD").fill("1234.56");
    await page.getByRole("region", { name: "Adjust balance" }).getByLabel("Reason").fill("Bank transfer");
    await page.getByRole("button", { name: "Adjust balance" }).click();
    await expect(page.getByText("Balance adjusted. New balance: $1,234.56.")).toBeVisible();

    const dashboard = await theirs.goto("/dashboard");
    expect(await dashboard?.text()).toContain(`>${balance}<`);
    const form = theirs.getByRole("form", { name: "New order" });
    // Input fields keep plain decimals.
    await expect(form.getByLabel("Quantity")).toHaveValue("1000");
    await expect(form.getByText("Quantity").locator("xpath=../dd")).toHaveText(thousand);
    await theirs.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Transactions" }).click();
    await theirs.waitForURL("/dashboard/transactions");
    const figures = theirs.getByRole("region", { name: "Balance and spending" });
    await expect(figures.locator("dd").first()).toHaveText(balance, { useInnerText: true });
    await expect(figures.getByRole("rowheader").first()).toHaveText(day);
    await context.close();
  });
}

test("keeps the request's language where the browser's own differs", async ({ page }) => {
  await page.route("/", async (route) => {
    const headers = { ...route.request().headers(), "accept-language": "de-DE" };
    await route.fulfill({ response: await route.fetch({ headers }) });
  });
  await page.goto("/");
  const calculator = page.getByRole("form", { name: "Price calculator" });
  await calculator.getByLabel("Quantity").fill("2000");
  await expect(calculator.getByText("Quantity").locator("xpath=../dd")).toHaveText("2.000");
});

test("renders the server's dates and numbers first, then the reader's time zone and locale", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  const context = await browser.newContext({ baseURL: copy.url, locale: "de-DE", timezoneId: "Asia/Kathmandu" });
  const page = await context.newPage();
  // A difference would be a console error, which fails the test.
  for (const path of ["/", "/privacy-policy", "/auth/login"]) {
    await page.goto(path);
    await untilHydrated(page);
  }
  await page.getByLabel("Email address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill(copy.demo.customer.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL("/dashboard");
  for (const path of ["/dashboard", "/dashboard/account"]) {
    await page.goto(path);
    await untilHydrated(page);
  }
  await expect(page.locator("time").first()).toHaveAttribute("title", /\d{4}/);
  await context.close();
});

test("reports a hydration mismatch", async ({ page }) => {
  await page.route("/privacy-policy", async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response: response,
      body: (await response.text()).replace("What we store", "٣ What we store"),
    });
  });
  const thrown = page.waitForEvent("pageerror").catch(() => null);
  await page.goto("/privacy-policy");
  const noticed = await thrown;
  expect(String(noticed)).toMatch(/Minified React error #4/);
  // The fixture fails every test with an error on its page, this one too.
  test.fail(noticed !== null);
});

const TITLES = ["Know the price first", "All you need is a link", "Track every order", "Talk to real people"];

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("shows each page outside the gate", async ({ page }) => {
    expect(OUTSIDE_THE_GATE).toEqual(expect.arrayContaining(["/onboarding", "/auth/start", "/auth/login"]));
    for (const path of OUTSIDE_THE_GATE) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
      expect((await page.getByRole("main").textContent())?.length, path).toBeGreaterThan(40);
      expect(await page.locator("html").getAttribute("data-gate"), path).toBeNull();
    }
    await test.step("the whole introduction and its links", async () => {
      await page.goto("/onboarding");
      for (const title of TITLES) await expect(page.getByRole("heading", { level: 2, name: title })).toBeAttached();
      await page.getByRole("link", { name: "Skip" }).click();
      await page.waitForURL("/");
    });
  });
});
