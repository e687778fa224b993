import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { allowConsole, countLoads, expect, signIn, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { choose, fillOrder, shownBalance } from "./order-form-steps.ts";

test("shows the charge before an order, charges exactly that, and updates until it completes", async ({
  page,
  copy,
}) => {
  await signIn(page, copy, "customer");
  const before = await shownBalance(page);
  await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/growline", quantity: "2000" });
  await page.getByRole("button", { name: "Place order · $0.70" }).click();
  await expect(page.getByText(/Order \d+ placed\. Charged \$0\.70/)).toBeVisible();
  const row = page.getByRole("row", { name: /instagram\.com\/p\/growline/ });
  await expect(row).toContainText("Completed");
  await expect(row).toContainText("2,000 / 2,000");
  await page.goto("/dashboard?service=3");
  await expect(page.getByText("Delivery time: not enough orders yet")).toBeVisible();
  expect(before - (await shownBalance(page))).toBeCloseTo(0.7, 6);
});

test("updates an order's page until it completes, without a reload", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  const fields = {
    key: copy.demo.customer.apiKey,
    action: "add",
    service: "3",
    link: "https://instagram.com/p/followed",
  };
  const body = new URLSearchParams({ ...fields, quantity: "100" });
  const { order } = (await (await page.request.post("/api/v2", { data: body.toString(), headers: FORM })).json()) as {
    order: number;
  };
  await page.goto(`/dashboard/orders/${order}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Completed");
  await expect(page.getByText("100 of 100")).toBeVisible();
});

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

test("shows a server error beside its field and charges nothing", async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "customer");
  const before = await shownBalance(page);
  await fillOrder(page, { service: "Instagram likes", link: "not a link", quantity: "2000" });
  await page.getByRole("button", { name: /Place order/ }).click();
  const link = page.getByLabel("Link", { exact: true });
  await expect(link).toHaveAttribute("aria-invalid", "true");
  await expect(link).toHaveAccessibleDescription(/^Paste a link to a post/);
  await expect(link).toHaveValue("not a link");
  await page.reload();
  expect(await shownBalance(page)).toBe(before);
});

test("keeps the page when a service is chosen while requests fail", async ({ page, copy }) => {
  allowConsole(page, /ERR_FAILED/);
  await signIn(page, copy, "customer");
  const loads = countLoads(page);
  const name = "Instagram comments, your own text";
  const details = page.waitForResponse(/\/dashboard\/services\/\d+$/);
  await choose(page, name);
  expect(await (await details).json()).toMatchObject({ offer: { name } });
  await page.route(/\/dashboard\/services\/|service-json/, (route) => route.abort());
  await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/kept", quantity: "300" });
  await page.unrouteAll();
  await page.getByRole("button", { name: "Place order · $0.11" }).click();
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
  expect(loads()).toBe(0);
});

test("places one order on a double click", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/double", quantity: "100" });
  await page.getByRole("button", { name: /Place order/ }).dblclick();
  await expect(page.getByRole("row", { name: /p\/double/ })).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole("row", { name: /p\/double/ })).toHaveCount(1);
});

test("places one order when the page is reloaded before the response and sent again", async ({ page, copy }) => {
  allowConsole(page, /ERR_FAILED|Failed to fetch|status of 400/);
  await signIn(page, copy, "customer");
  const fill = async () => {
    await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/reload", quantity: "100" });
  };
  await fill();
  let reached = () => {};
  const placed = new Promise<void>((resolve) => {
    reached = resolve;
  });
  // The request reaches the server; its response never reaches the page.
  await page.route(/\/dashboard(\.data)?(\?|$)/, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    await route.fetch();
    reached();
  });
  await page.getByRole("button", { name: /Place order/ }).click();
  await placed;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await expect(page.getByRole("row", { name: /p\/reload/ })).toHaveCount(1);
  await fill();
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByText(/was already placed|You just placed/)).toBeVisible();
  await expect(page.getByRole("row", { name: /p\/reload/ })).toHaveCount(1);
});

test("finds and orders a service without scripts, once even after going back", async ({ page, browser, copy }) => {
  await signIn(page, copy, "customer");
  const plain = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
    baseURL: copy.url,
  });
  const old = await plain.newPage();
  allowConsole(old, /status of 400/);
  await old.goto("/dashboard");
  await old.getByLabel("Find a service by name").fill("tiktok likes");
  await old.getByRole("button", { name: "Find" }).click();
  await old.getByRole("link", { name: "TikTok likes" }).click();
  await old.getByLabel("Link", { exact: true }).fill("https://tiktok.com/@back/video/7301234567890123456");
  await old.getByLabel("Quantity").fill("100");
  await old.getByRole("button", { name: /Place order/ }).click();
  await expect(old.getByText(/Order \d+ placed/)).toBeVisible();
  await old.goBack();
  await old.getByLabel("Link", { exact: true }).fill("https://tiktok.com/@back/video/7301234567890123456");
  await old.getByLabel("Quantity").fill("100");
  await old.getByRole("button", { name: /Place order/ }).click();
  await expect(old.getByText(/was already placed|You just placed/)).toBeVisible();
  await expect(old.getByRole("row", { name: /@back/ })).toHaveCount(1);
  await plain.close();
});

test("calculates the live charge on the landing page and leads to the order form", { tag: "@nightly" }, async ({
  page,
  copy,
}) => {
  await page.goto("/");
  await page.getByText("TikTok", { exact: true }).click();
  await page.getByLabel("Service").selectOption({ label: "TikTok likes" });
  await page.getByLabel("Quantity").fill("3000");
  await page.getByRole("button", { name: "Order · $1.86" }).click();
  await expect(page).toHaveURL(/\/auth\/signup/);
  await page.getByRole("link", { name: "Log in" }).last().click();
  // The previous page has an email field too.
  await page.waitForURL(/auth\/login/);
  await page.getByLabel("Email address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill(copy.demo.customer.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(page.getByRole("button", { name: "Place order · $1.86" })).toBeVisible();
});

test("refills and repeats an order, and finds it by ID, link and status", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await fillOrder(page, {
    service: "TikTok likes",
    link: "https://tiktok.com/@refill/video/7301234567890123457",
    quantity: "100",
  });
  await page.getByRole("button", { name: /Place order/ }).click();
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await page.waitForURL("/dashboard/orders");
  const row = page.getByRole("row", { name: /@refill/ });
  await expect(row).toContainText("Completed");
  await row.getByRole("button", { name: /^Refill/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Request refill" }).click();
  await expect(row).toContainText(/Refill (requested|in progress)/);
  await expect(row.getByRole("button", { name: /^Refill/ })).toHaveCount(0);
  await expect(row).toContainText("Refill completed");

  const number = await row.getByRole("link", { name: /^\d+$/ }).textContent();
  for (const [search, rows] of [
    [number ?? "", 1],
    ["@REFILL", 1],
    ["nothing like it", 0],
  ] as const) {
    await page.getByRole("searchbox").fill(search);
    await page.getByRole("button", { name: "Search" }).click();
    const searched = new RegExp(`search=${encodeURIComponent(search).replaceAll("%20", "\\+")}`);
    await expect(page).toHaveURL(searched);
    // The address is there before the page, whose search field is a new one.
    await expect(page.getByRole("link", { name: "Completed", exact: true })).toHaveAttribute("href", searched);
    await expect(page.getByRole("row", { name: /@refill/ })).toHaveCount(rows);
  }
  // Other tests may have canceled orders of this customer.
  await page.goto("/dashboard/orders?status=Canceled");
  await expect(page.getByRole("heading", { name: "Orders", level: 1 })).toBeVisible();
  await expect(page.getByRole("row", { name: /@refill/ })).toHaveCount(0);
  await page.goto("/dashboard/orders?status=Completed");
  await page.getByRole("link", { name: `Repeat order ${number}` }).click();
  await page.waitForURL(/repeat=/);
  // The order keeps the network's own form of the link.
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue(
    "https://www.tiktok.com/@refill/video/7301234567890123457",
  );
  await expect(page.getByLabel("Quantity")).toHaveValue("100");
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByRole("row", { name: /@refill/ })).toHaveCount(2);
});

test("cancels an order and refunds what was not delivered", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await fillOrder(page, {
    service: "Instagram likes",
    link: sandboxLink("still", "cancel"),
    quantity: "1000",
  });
  await page.getByRole("button", { name: /Place order/ }).click();
  const row = page.getByRole("row", { name: /p\/cancel/ });
  const number = await row.getByRole("link", { name: /^\d+$/ }).textContent();
  await row.getByRole("button", { name: /^Cancel/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel order" }).click();
  await expect(row).toContainText("Canceled");
  await page.getByRole("link", { name: "Transactions", exact: true }).click();
  await page.waitForURL("/dashboard/transactions");
  await expect(page.getByRole("row", { name: `Refund for order ${number}` })).toBeVisible();
});

test("does not find another customer's orders and receipts", async ({ page, browser, copy }) => {
  allowConsole(page, /404/);
  await signIn(page, copy, "customer");
  await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/mine", quantity: "100" });
  await page.getByRole("button", { name: /Place order/ }).click();
  const number = await page
    .getByRole("row", { name: /p\/mine/ })
    .getByRole("link", { name: /^\d+$/ })
    .textContent();
  await page.goto("/dashboard/transactions");
  const receipt = await page
    .getByRole("link", { name: /^Receipt/ })
    .first()
    .getAttribute("href");
  const stranger = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await signUpByRequest(stranger);
  for (const path of [`/dashboard/orders/${number}`, receipt ?? ""]) {
    expect((await page.request.get(path)).status()).toBe(200);
    expect((await stranger.request.get(path)).status()).toBe(404);
  }
  for (const intent of ["refill", "cancel"]) {
    const response = await stranger.request.post(`/dashboard/orders/${number}`, { form: { intent } });
    expect(response.status()).toBe(404);
  }
  const live = await stranger.request.get(`/dashboard/orders/live?ids=${number}`);
  expect(((await live.json()) as { orders: unknown[] }).orders).toEqual([]);
  await stranger.context().close();
});

test("filters orders by the reader's days, in the list, the export and print", async ({ browser, page, copy }) => {
  await signIn(page, copy, "customer");
  const context = await browser.newContext({
    baseURL: copy.url,
    storageState: await page.context().storageState(),
    timezoneId: "Pacific/Kiritimati",
  });
  const there = await context.newPage();
  await there.goto("/dashboard?service=3");
  await there.getByLabel("Link", { exact: true }).fill("https://instagram.com/p/today");
  await there.getByRole("button", { name: /Place order/ }).click();
  await expect(there.getByText(/Order \d+ placed/)).toBeVisible();
  const [today, tomorrow] = await there.evaluate(() =>
    [0, 1].map((days) => new Intl.DateTimeFormat("sv-SE").format(Date.now() + days * 86_400_000)),
  );
  await there.goto("/dashboard/orders");
  const row = there.getByRole("row", { name: /p\/today/ });
  for (const [from, rows] of [
    [tomorrow ?? "", 0],
    [today ?? "", 1],
  ] as const) {
    await there.getByLabel("From", { exact: true }).fill(from);
    await there.getByRole("button", { name: "Search" }).click();
    await there.waitForURL(
      new RegExp(`from=${from}.*&zone=Pacific%2FKiritimati|zone=Pacific%2FKiritimati.*&from=${from}`),
    );
    await expect(row).toHaveCount(rows);
  }
  const link = (await there.getByRole("link", { name: "Export CSV" }).getAttribute("href")) ?? "";
  expect(await (await there.request.get(link)).text()).toContain("p/today");
  expect(await (await there.request.get(link.replaceAll(today ?? "", tomorrow ?? ""))).text()).not.toContain("p/today");

  await there.emulateMedia({ media: "print" });
  await expect(there.getByRole("link", { name: "New order" })).toBeHidden();
  await expect(there.getByRole("button")).toHaveCount(0);
  const printed = await row.locator("time").evaluate((time) => getComputedStyle(time, "::after").content);
  expect(printed).toContain(new Date().getFullYear().toString());
  // A4 between its margins.
  await there.setViewportSize({ width: 718, height: 1000 });
  const table = there.getByRole("group", { name: "Orders" });
  expect(await table.evaluate((group) => group.scrollWidth - group.clientWidth)).toBe(0);
  await context.close();
});

test("exports orders as CSV that a spreadsheet opens without running anything", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await choose(page, "X mentions by hashtag");
  await page.getByLabel("Link", { exact: true }).fill('https://x.com/a,b?q="quoted"');
  await page.getByLabel("Hashtag", { exact: true }).fill("growth");
  await page.getByLabel("Quantity").fill("100");
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
  await page.goto("/dashboard/orders");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^growline-orders-\d{4}-\d{2}-\d{2}\.csv$/);
  const text = await readFile(await file.path(), "utf8");
  expect(text.startsWith("\ufeff")).toBe(true);
  const rows = parse(text, { bom: true, columns: true }) as Record<string, string>[];
  const row = rows.find(({ link }) => link === 'https://x.com/a,b?q="quoted"');
  expect(row).toMatchObject({
    quantity: "100",
    charge_USD: "0.61",
    source: "web",
    hashtag: "growth",
    comments: "",
  });
  expect(Number.isNaN(Date.parse(`${row?.placed_at}Z`))).toBe(false);
});

test("shows an API key once, accepts it, and refuses it after it is revoked", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "API" }).click();
  await page.waitForURL("/dashboard/api");
  await page.getByLabel("Key name").fill("Spreadsheet");
  await page.getByRole("button", { name: "Create key" }).click();
  const key =
    (await page
      .getByText(/^gl_live_[0-9a-f]{54}$/)
      .first()
      .textContent()) ?? "";
  const headers = { Authorization: `Bearer ${key}` };
  expect((await page.request.get("/api/balance", { headers })).status()).toBe(200);
  await page.reload();
  await expect(page.getByText(key)).toHaveCount(0);
  await page
    .getByRole("row", { name: /Spreadsheet/ })
    .getByRole("button", { name: /Revoke/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("row", { name: /Spreadsheet/ })).toHaveCount(0);
  expect((await page.request.get("/api/balance", { headers })).status()).toBe(401);
});
