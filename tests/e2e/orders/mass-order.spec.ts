import type { Locator, Page } from "@playwright/test";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { allowConsole, test as base, expect, signIn } from "#tests/e2e/fixtures.ts";
import { massCell as cell, shownBalance } from "./order-form-steps.ts";

/** A service that no provider has: its orders stay as they are placed. */
const SERVICE_ID = 3000;
// A fixture of each test: with one of the worker, Playwright would start another worker, and so another copy, for this file.
const test = base.extend<{ serviceId: number }>({
  serviceId: async ({ copy }, use) => {
    const service =
      "insert or ignore into services (id, network, category, name, rate, min, max, position) values (?, 'Instagram', 'By hand', 'Likes that people deliver by hand', 900000, 10, 100000, 9999)";
    await copy.changeRows("DB", service, SERVICE_ID);
    await use(SERVICE_ID);
  },
});

test("checks a CSV of 100 lines with 3 errors and places its valid lines once", async ({ page, copy, serviceId }) => {
  allowConsole(page, /status of 400/);
  const alreadyPlaced = page.getByText("These lines are already placed: 97 orders. Nothing is placed twice.");
  const lines = Array.from({ length: 100 }, (_, n) => `${serviceId};https://instagram.com/p/${n + 2};100`);
  lines[9] = `${serviceId};not a link;100`;
  lines[49] = `${serviceId};https://instagram.com/p/51;1`;
  lines[89] = "999999;https://instagram.com/p/91;100";
  const csv = ["service;link;quantity", ...lines].join("\r\n");
  await signIn(page, copy, "customer", "/upload");
  const chooser = page.getByLabel("Drop files here or choose them");
  await chooser.setInputFiles({ name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  const uploaded = page.getByRole("link", { name: "Order from orders.csv" });
  await expect(uploaded).toBeVisible();
  // Else choosing the same file again, after a cancel or an error, would be no change.
  await expect(chooser).toHaveValue("");
  await uploaded.click();
  await page.waitForURL(/orders\/mass\?.*draft=/);
  await expect(page.getByText("97 valid · 3 errors")).toBeVisible();
  await expect(page.getByText("Read as UTF-8, separated by semicolons.")).toBeVisible();
  const before = await shownBalance(page);
  await page.getByRole("button", { name: "Errors", exact: true }).click();
  const links = page.getByRole("textbox", { name: /^Link, line/ });
  await expect(links).toHaveCount(3);
  await expect(cell(page, "Link", 10)).toHaveAccessibleDescription(/Enter the full public link/);
  await expect(cell(page, "Quantity", 50)).toHaveAccessibleDescription("The minimum for this service is 10");
  await expect(cell(page, "Service", 90)).toHaveAccessibleDescription("Service 999999 is not available");
  await page.getByRole("button", { name: "All", exact: true }).click();
  await expect(cell(page, "Link", 1)).toBeVisible();

  await page.getByRole("button", { name: "Place 97, skip 3 · $8.73" }).dblclick();
  await page.waitForURL(/orders\/mass\/\d+/);
  await expect(page.getByText("97 orders placed for $8.73 from orders.csv, 3 lines skipped.")).toBeVisible();
  expect(before - (await shownBalance(page))).toBeCloseTo(8.73, 6);

  await page.goBack();
  await expect(alreadyPlaced).toBeVisible();
  await page.reload();
  await expect(alreadyPlaced).toBeVisible();
  expect(before - (await shownBalance(page))).toBeCloseTo(8.73, 6);
});

test("takes a dropped file, typed lines and a paste into the sheet, moves by keyboard, undoes and keeps them", {
  tag: "@nightly",
}, async ({ page, copy, serviceId }) => {
  await signIn(page, copy, "customer", "/dashboard/orders/mass");

  await test.step("takes a dropped CSV, and cuts nothing off at 1280 px", async () => {
    await expect(cell(page, "Service", 1)).toBeEnabled();
    await page.setViewportSize({ width: 1280, height: 800 });
    const csv = [
      "service,link,quantity",
      `${serviceId},https://x.example/${"a-long-link/".repeat(12)},100000`,
      `1,https://instagram.com/p/${crypto.randomUUID()},50`,
      `${serviceId},https://x.example/dropped,1`,
    ].join("\n");
    const dataTransfer = await page.evaluateHandle((text) => {
      const dropped = new DataTransfer();
      dropped.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
      return dropped;
    }, csv);
    const sheet = page.getByRole("region", { name: "Lines", exact: true });
    await sheet.dispatchEvent("dragover", { dataTransfer });
    await expect(sheet).toHaveClass(/border-accent/);
    await sheet.dispatchEvent("drop", { dataTransfer });
    await expect(sheet).not.toHaveClass(/border-accent/);
    await expect(page.getByText("2 valid · 1 error", { exact: true })).toBeVisible();
    await expect(cell(page, "Link", 3)).toHaveValue("https://x.example/dropped");

    const table = page.getByRole("table", { name: "Lines to order" });
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await expect(page.getByRole("button", { name: "Delete line 1" })).toBeInViewport({ ratio: 1 });
    await expect(table.getByRole("row").nth(1).getByRole("cell").nth(4)).toBeInViewport({ ratio: 1 });
    await cell(page, "Link", 1).press("Control+z");
    await expect(cell(page, "Service", 1)).toHaveValue("");
  });

  await test.step("checks lines as they are typed, moves between cells, and places them", async () => {
    const place = page.getByRole("button", { name: /^Place/ });
    await expect(place).toBeDisabled();
    await cell(page, "Service", 1).fill(String(serviceId));
    await page.keyboard.press("Tab");
    await page.keyboard.type("https://x.example/a");
    await page.keyboard.press("Tab");
    await page.keyboard.type("5");
    await expect(cell(page, "Quantity", 1)).toHaveAccessibleDescription("The minimum for this service is 10");
    await page.keyboard.type("0");
    await expect(page.getByText("1 valid · 0 errors")).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(cell(page, "Quantity", 2)).toBeFocused();
    await page.keyboard.type("60");
    await page.keyboard.press("ArrowUp");
    await expect(cell(page, "Quantity", 1)).toBeFocused();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await expect(cell(page, "Link", 2)).toBeFocused();
    await page.keyboard.type("https://x.example/b");
    await cell(page, "Service", 2).fill(String(serviceId));
    await cell(page, "Quantity", 3).focus();
    await page.keyboard.press("Enter");
    await expect(cell(page, "Quantity", 4)).toBeFocused();
    await expect(page.getByText("2 valid · 0 errors")).toBeVisible();
    await place.click();
    await page.waitForURL(/orders\/mass\/\d+/);
    await expect(page.getByText("2 orders placed for $0.10")).toBeVisible();
  });

  await page.getByRole("link", { name: "New mass order" }).click();
  await expect(cell(page, "Service", 1)).toHaveValue("");
  await expect(cell(page, "Service", 1)).toBeEnabled();
  const rows = `Service ID\tURL\tQty\n${serviceId}\thttps://x.example/1\t100\n${serviceId}\thttps://x.example/2\t1`;
  await paste(page, cell(page, "Service", 1), rows);
  await expect(page.getByText("1 valid · 1 error", { exact: true })).toBeVisible();
  await expect(cell(page, "Link", 2)).toHaveValue("https://x.example/2");
  await paste(page, cell(page, "Quantity", 1), "200\n300");
  await expect(page.getByText("2 valid · 0 errors")).toBeVisible();
  await cell(page, "Link", 1).press("Control+z");
  await expect(cell(page, "Quantity", 2)).toHaveValue("1");
  await cell(page, "Link", 1).press("Control+z");
  await expect(cell(page, "Service", 1)).toHaveValue("");
  await cell(page, "Link", 1).press("Control+Shift+z");
  await expect(cell(page, "Service", 2)).toHaveValue(String(serviceId));

  const csv = `service,link,quantity,color\n${serviceId},https://x.example/3,30,red`;
  const file = { name: "more.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
  await page.getByLabel("CSV file").setInputFiles(file);
  await expect(page.getByText("2 valid · 1 error", { exact: true })).toBeVisible();
  await expect(page.getByText("Unknown columns, ignored: color.")).toBeVisible();
  await page.getByLabel("CSV file").setInputFiles({ ...file, buffer: Buffer.from(`id,${csv}`) });
  await expect(page.getByRole("alert")).toHaveText(/Columns “id” and “service” both mean the service. Keep one./);
  await page.getByRole("button", { name: "Errors", exact: true }).click();
  await expect(page.getByRole("textbox", { name: /^Link, line/ })).toHaveCount(1);
  await page.getByRole("button", { name: "Delete line 2" }).click();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await expect(page.getByRole("button", { name: "Place 2 · $0.12" })).toBeVisible();

  // A visit without the draft's URL finds it again.
  await expect.poll(() => page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("x.example/2");
  await page.goto("/dashboard/orders/mass");
  await expect(page.getByRole("button", { name: "Place 2 · $0.12" })).toBeVisible();
  await expect(cell(page, "Link", 2)).toHaveValue("https://x.example/3");
});

test("asks about links that may be wrong or used already, and places nothing at another charge than shown", {
  tag: "@nightly",
}, async ({ page, copy, serviceId }) => {
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "customer", "/dashboard/orders/mass");
  await expect(cell(page, "Service", 1)).toBeEnabled();
  const startAnew = async () => {
    await page.getByRole("link", { name: "New mass order" }).click();
    await expect(cell(page, "Service", 1)).toHaveValue("");
    await expect(cell(page, "Service", 1)).toBeEnabled();
  };

  await test.step("asks about a doubtful link, and shows errors that a screen reader finds", async () => {
    const doubtful = `1\thttps://instagram.com/p/${crypto.randomUUID()}\t50`;
    await paste(
      page,
      cell(page, "Service", 1),
      `${serviceId}\thttps://x.example/right\t100\n${doubtful}\n3\tnowhere\t100`,
    );
    await expect(page.getByText("2 valid · 1 error", { exact: true })).toBeVisible();
    await expect(page.getByText(/This looks like an Instagram post\. This service takes a profile/)).toBeVisible();
    await auditPage(page, "the sheet with errors");
    await page.getByRole("button", { name: /^Place 2, skip 1/ }).click();
    await expect(page).toHaveURL(/orders\/mass\?/);
    await page.getByRole("checkbox", { name: "Order the line that may be wrong" }).check();
    await page.getByRole("button", { name: /^Place 2, skip 1/ }).click();
    await page.waitForURL(/orders\/mass\/\d+/);
    await expect(page.getByText(/^2 orders placed/)).toBeVisible();
  });

  await startAnew();
  await test.step("shows the new charge instead of placing at another one", async () => {
    await paste(page, cell(page, "Service", 1), `${serviceId} | https://x.example/changed | 100`);
    await expect(page.getByRole("button", { name: "Place 1 · $0.09" })).toBeVisible();
    // As if the price had been another one when the line was checked.
    await page.locator('input[name="charge"]').evaluate((input: HTMLInputElement) => input.setAttribute("value", "1"));
    await page.getByRole("button", { name: "Place 1 · $0.09" }).click();
    await expect(
      page.getByText(
        /changed after you checked the lines: the charge was \$0\.000001 and is \$0\.09 now\. Nothing was placed/,
      ),
    ).toBeVisible();
    await expect(cell(page, "Link", 1)).toHaveValue("https://x.example/changed");
  });

  await cell(page, "Link", 1).press("Control+z");
  await expect(cell(page, "Service", 1)).toHaveValue("");
  await test.step("asks about lines for the link of another line or of an open order, which can be skipped", async () => {
    const rows = ["twice", "once", "twice"].map((name) => `${serviceId}\thttps://x.example/${name}\t100`).join("\n");
    await paste(page, cell(page, "Service", 1), rows);
    await expect(page.getByText("Line 1 is for the same link, and two at once can count")).toHaveCount(1);
    await page.getByRole("button", { name: "To check (1)" }).click();
    await expect(page.getByRole("textbox", { name: /^Link, line/ })).toHaveCount(1);
    await auditPage(page, "the sheet with a line to check");
    await page.getByRole("button", { name: "Skip it" }).click();
    await expect(page.getByRole("textbox", { name: /^Link, line/ })).toHaveCount(2);
    await expect(page.getByRole("button", { name: "Place 2 · $0.18" })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("checkbox", { name: "Order the line that may be wrong" }).check();
    await page.getByRole("button", { name: "Place 3 · $0.27" }).click();
    await page.waitForURL(/orders\/mass\/\d+/);

    await startAnew();
    await paste(page, cell(page, "Service", 1), `${serviceId}\tx.example/once\t200`);
    await expect(page.getByText(/Order \d+ for the same link is still open/)).toBeVisible();
    // As if that order had been placed after the line was checked.
    await page.locator('input[name="doubts"]').evaluate((box) => box.remove());
    await page.getByRole("button", { name: "Place 1 · $0.18" }).click();
    await expect(page.getByText("Some lines may be wrong, so nothing was placed.")).toBeVisible();
  });
});

test("checks typed lines again after they are fixed, and places them, without scripts", async ({
  browser,
  copy,
  serviceId,
}) => {
  const context = await browser.newContext({ baseURL: copy.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await signIn(page, copy, "customer", "/dashboard/orders/mass");
  const lines = page.getByRole("textbox", { name: /service \| link \| quantity|Fix lines/ });
  await lines.fill(`${serviceId} | https://x.example/typed-a | 100\n${serviceId} | https://x.example/typed-b | 5`);
  await page.getByRole("button", { name: "Check lines" }).click();
  await expect(page.getByRole("row", { name: /^2 / })).toContainText("The minimum for this service is 10");
  const fixed = ["typed-a", "typed-b", "typed-a"].map((name) => `${serviceId} | https://x.example/${name} | 50`);
  await lines.fill(fixed.join("\n"));
  await page.getByRole("button", { name: "Check lines" }).click();
  await expect(page.getByRole("row", { name: /^3 / })).toContainText("Line 1 is for the same link");
  const place = page.getByRole("button", { name: "Place 3 orders · $0.14" });
  await place.click();
  await expect(place).toBeVisible();
  await page.getByRole("checkbox", { name: "Order the line that may be wrong" }).check();
  await place.click();
  await page.waitForURL(/orders\/mass\/\d+/);
  await expect(page.getByRole("group", { name: "Orders of this mass order" }).getByRole("row")).toHaveCount(4);
  await context.close();
});

test("leads to a top-up of what is missing, and back to the lines", { tag: "@nightly" }, async ({
  page,
  copy,
  serviceId,
}) => {
  await signIn(page, copy, "customer", "/dashboard/orders/mass");
  await expect(cell(page, "Service", 1)).toBeEnabled();
  const rows = Array.from({ length: 10 }, (_, n) => `${serviceId}\thttps://x.example/dear-${n}\t100000`);
  await paste(page, cell(page, "Service", 1), rows.join("\n"));
  await expect(page.getByText("10 valid · 0 errors")).toBeVisible();
  await cell(page, "Link", 10).fill("https://x.example/the-last");
  await page.getByRole("link", { name: "Add funds" }).click();
  const mass = page.getByRole("region", { name: "Finish your mass order" });
  await expect(mass).toContainText("10 lines · $900.00");
  const missing = /You need \$([\d.]+) more/.exec((await mass.textContent()) ?? "")?.[1];
  const amount = Math.ceil(Number(missing));
  expect(amount).toBeGreaterThan(500);
  await expect(page.getByLabel("Amount in USD")).toHaveValue(String(amount));
  await page.getByRole("button", { name: `Pay $${amount}.00 by card` }).click();
  await page.getByRole("button", { name: `Pay $${amount}.00` }).click();
  await page.waitForURL(/top-up\?checkout=/);
  await expect(mass).not.toContainText("You need");
  await mass.getByRole("link", { name: "Back to your 10 lines" }).click();
  await expect(cell(page, "Link", 10)).toHaveValue("https://x.example/the-last");
  await expect(page.getByRole("button", { name: "Place 10 · $900.00" })).toBeEnabled();
});

async function paste(page: Page, into: Locator, text: string): Promise<void> {
  await into.focus();
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
  }, text);
}
