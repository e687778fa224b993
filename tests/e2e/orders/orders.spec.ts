import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import {
  allowConsole,
  countLoads,
  expect,
  PASSWORD,
  sessionOf,
  signIn,
  test,
  untilHydrated,
} from "#tests/e2e/fixtures.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { choose, fillOrder, shownBalance } from "./order-form-steps.ts";

test("shows the charge, places one order on a double click though requests failed, and follows it until it completes", async ({
  page,
  copy,
}) => {
  allowConsole(page, /ERR_FAILED/);
  await signIn(page, copy, "customer");
  const loads = countLoads(page);
  const before = await shownBalance(page);
  const post = crypto.randomUUID().slice(0, 8);
  const panel = page.getByRole("form", { name: "New order" });

  await test.step("keeps the page when a service is chosen while requests fail", async () => {
    const name = "Instagram comments, your own text";
    const details = page.waitForResponse(/\/dashboard\/services\/\d+$/);
    await choose(page, name);
    expect(await (await details).json()).toMatchObject({ offer: { name } });
    await page.route(/\/dashboard\/services\/|service-json/, (route) => route.abort());
    await fillOrder(page, {
      service: "Instagram likes",
      link: `https://instagram.com/p/${post}`,
      quantity: "2000",
    });
    await page.unrouteAll();
  });

  await test.step("charges exactly what it showed, once", async () => {
    await page.getByRole("button", { name: "Place order · $0.70" }).dblclick();
    await expect(page.getByText(/Order \d+ placed\. Charged \$0\.70/)).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: "Add funds" })).toHaveCount(0);
  });

  await test.step("shows it from Pending to Completed, and leads to it", async () => {
    const status = panel.getByRole("heading", { name: /^Order \d+/ }).getByRole("status");
    await expect(status).toHaveText(/^Pending/);
    await expect(status).toHaveText(/^Pending →\s*Completed$/);
    const row = page.getByRole("row", { name: new RegExp(`instagram\\.com/p/${post}`) });
    await expect(row).toContainText("Completed");
    await expect(row).toContainText("2,000 / 2,000");
    await expect(row).toHaveCount(1);
    const [id] = /\d+/.exec((await panel.getByText(/^Order \d+ placed\./).textContent()) ?? "") ?? [];
    await panel.getByRole("link", { name: "View order" }).click();
    await page.waitForURL(`/dashboard/orders/${id}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(String(id));
    expect(before - (await shownBalance(page))).toBeCloseTo(0.7, 6);
    expect(loads()).toBe(0);
  });
});

test("places one order when the page is reloaded before the response and sent again", async ({ page, copy }) => {
  allowConsole(page, /ERR_FAILED|Failed to fetch|status of 400/);
  await signIn(page, copy, "customer");
  const fill = async () => {
    await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/reload", quantity: "100" });
  };
  await fill();
  await expect(page.getByText("Delivery time: not enough orders yet")).toBeVisible();
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

test("finds and orders a service without scripts, once even after going back", async ({ browser, copy }) => {
  const storageState = await sessionOf(browser, copy, "customer");
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState, baseURL: copy.url });
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

test("shows an order and its receipt to nobody else, and cancels it for its owner alone", async ({ browser, copy }) => {
  const headers = { Origin: copy.url };
  const owner = await browser.newContext({
    baseURL: copy.url,
    storageState: await sessionOf(browser, copy, "customer"),
  });
  const stranger = await browser.newContext({ baseURL: copy.url });
  const account = { fullName: "Eve", email: `${crypto.randomUUID()}@test.example`, password: PASSWORD };
  await stranger.request.post("/auth/signup", { form: account, headers });
  const key = copy.demo.customer.apiKey;
  const link = sandboxLink("still", crypto.randomUUID().slice(0, 8));
  const order = { key, action: "add", service: "3", link, quantity: "1000" };
  const added = (await (await owner.request.post("/api/v2", { form: order })).json()) as { order: number };
  const path = `/dashboard/orders/${added.order}`;
  const transactions = await (await owner.request.get("/dashboard/transactions")).text();
  const receipt = /"(\/dashboard\/transactions\/\d+)"/.exec(transactions)?.[1] ?? "";

  for (const theirs of [path, receipt]) {
    expect((await owner.request.get(theirs)).status(), theirs).toBe(200);
    expect((await stranger.request.get(theirs)).status(), theirs).toBe(404);
  }
  for (const intent of ["refill", "cancel"]) {
    expect((await stranger.request.post(path, { form: { intent }, headers })).status(), intent).toBe(404);
  }
  const live = await stranger.request.get(`/dashboard/orders/live?ids=${added.order}`);
  expect(((await live.json()) as { orders: unknown[] }).orders).toEqual([]);

  const status = async () => {
    const form = { key, action: "status", order: String(added.order) };
    return ((await (await owner.request.post("/api/v2", { form })).json()) as { status: string }).status;
  };
  expect(await status()).not.toBe("Canceled");
  expect((await owner.request.post(path, { form: { intent: "cancel" }, headers })).status()).toBe(200);
  await expect.poll(status).toBe("Canceled");
  await owner.close();
  await stranger.close();
});

test("cancels, refills, finds and repeats orders", { tag: "@nightly" }, async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  const place = page.getByRole("button", { name: /Place order/ });

  const canceled = await test.step("cancels an order", async () => {
    const link = sandboxLink("still", "cancel");
    await fillOrder(page, { service: "Instagram likes", link, quantity: "1000" });
    await place.click();
    const row = page.getByRole("row", { name: /p\/cancel/ });
    const number = await row.getByRole("link", { name: /^\d+$/ }).textContent();
    await row.getByRole("button", { name: /^Cancel/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel order" }).click();
    await expect(row).toContainText("Canceled");
    return number;
  });

  await page.getByRole("button", { name: "New order" }).click();
  await fillOrder(page, {
    service: "TikTok likes",
    link: "https://tiktok.com/@refill/video/7301234567890123457",
    quantity: "100",
  });
  await place.click();
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await page.waitForURL("/dashboard/orders");
  const row = page.getByRole("row", { name: /@refill/ });
  await test.step("refills a completed order once", async () => {
    await expect(row).toContainText("Completed");
    await row.getByRole("button", { name: /^Refill/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Request refill" }).click();
    await expect(row).toContainText(/Refill (requested|in progress)/);
    await expect(row.getByRole("button", { name: /^Refill/ })).toHaveCount(0);
    await expect(row).toContainText("Refill completed");
  });

  const number = await row.getByRole("link", { name: /^\d+$/ }).textContent();
  await test.step("finds it by ID, link and status", async () => {
    for (const [search, rows] of [
      [number ?? "", 1],
      ["nothing like it", 0],
      ["@REFILL", 1],
    ] as const) {
      await page.getByRole("searchbox").fill(search);
      await page.getByRole("button", { name: "Search" }).click();
      const searched = new RegExp(`search=${encodeURIComponent(search).replaceAll("%20", "\\+")}`);
      await expect(page).toHaveURL(searched);
      // The address is there before the page, whose search field is a new one.
      await expect(page.getByRole("link", { name: "Completed", exact: true })).toHaveAttribute("href", searched);
      await expect(row).toHaveCount(rows);
    }
    await page.getByRole("link", { name: "Canceled", exact: true }).click();
    await page.waitForURL(/status=Canceled/);
    await expect(row).toHaveCount(0);
    await page.getByRole("link", { name: "Completed", exact: true }).click();
    await page.waitForURL(/status=Completed/);
  });

  await test.step("repeats it", async () => {
    await page.getByRole("link", { name: `Repeat order ${number}` }).click();
    await page.waitForURL(/repeat=/);
    // The order keeps the network's own form of the link.
    await expect(page.getByLabel("Link", { exact: true })).toHaveValue(
      "https://www.tiktok.com/@refill/video/7301234567890123457",
    );
    await expect(page.getByLabel("Quantity")).toHaveValue("100");
    await place.click();
    await expect(row).toHaveCount(2);
  });

  await test.step("updates an order's page until it completes, without a reload", async () => {
    await page.getByRole("link", { name: "View order" }).click();
    await page.waitForURL(/\/dashboard\/orders\/\d+$/);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Completed");
    await expect(page.getByText("100 of 100")).toBeVisible();
  });

  await page.getByRole("link", { name: "Transactions", exact: true }).click();
  await page.waitForURL("/dashboard/transactions");
  await expect(page.getByRole("row", { name: `Refund for order ${canceled}` })).toBeVisible();
});

test("filters orders by the reader's days, exports them as a CSV that runs nothing in a spreadsheet, and prints them", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  const storageState = await sessionOf(browser, copy, "customer");
  const context = await browser.newContext({ baseURL: copy.url, storageState, timezoneId: "Pacific/Kiritimati" });
  const there = await context.newPage();
  await there.goto("/dashboard");
  await untilHydrated(there);
  await choose(there, "X mentions by hashtag");
  await there.getByLabel("Link", { exact: true }).fill('https://x.com/a,b?q="quoted"');
  await there.getByLabel("Hashtag", { exact: true }).fill("growth");
  await there.getByLabel("Quantity").fill("100");
  await there.getByRole("button", { name: /Place order/ }).click();
  await expect(there.getByText(/Order \d+ placed/)).toBeVisible();
  const [today, tomorrow] = await there.evaluate(() =>
    [0, 1].map((days) => new Intl.DateTimeFormat("sv-SE").format(Date.now() + days * 86_400_000)),
  );
  await there.getByRole("link", { name: "Orders", exact: true }).click();
  await there.waitForURL("/dashboard/orders");
  const row = there.getByRole("row", { name: /a,b/ });
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

  const exportLink = there.getByRole("link", { name: "Export CSV" });
  await test.step("exports them as CSV", async () => {
    const link = (await exportLink.getAttribute("href")) ?? "";
    expect(await (await there.request.get(link.replaceAll(today ?? "", tomorrow ?? ""))).text()).not.toContain("a,b");
    const download = there.waitForEvent("download");
    await exportLink.click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^growline-orders-\d{4}-\d{2}-\d{2}\.csv$/);
    const text = await readFile(await file.path(), "utf8");
    expect(text.startsWith("\ufeff")).toBe(true);
    const lines = parse(text, { bom: true, columns: true }) as Record<string, string>[];
    const line = lines.find(({ link }) => link === 'https://x.com/a,b?q="quoted"');
    expect(line).toMatchObject({
      quantity: "100",
      charge_USD: "0.61",
      source: "web",
      hashtag: "growth",
      comments: "",
    });
    expect(Number.isNaN(Date.parse(`${line?.placed_at}Z`))).toBe(false);
  });

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
