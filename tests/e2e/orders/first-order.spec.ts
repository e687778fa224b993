import type { Browser, Locator, Page } from "@playwright/test";
import { expect, otherPage, PASSWORD, signIn, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail } from "#tests/e2e/received-emails.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

const MAX_ACTIONS = 8;
const LINK = "https://instagram.com/growing.account";

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]) {
  for (const javaScriptEnabled of [true, false]) {
    const how = `at ${viewport.width} px ${javaScriptEnabled ? "with" : "without"} JavaScript`;
    const tag = viewport.width === 390 && javaScriptEnabled ? [] : "@nightly";
    test(`takes a new customer with a code from the landing page to a completed order in ${MAX_ACTIONS} actions ${how}`, {
      tag,
    }, async ({ browser, copy }) => {
      const code = await newCode(browser, copy);
      const context = await browser.newContext({ baseURL: copy.url, viewport, javaScriptEnabled });
      const page = await context.newPage();
      const { click, fill, taken } = counted();
      await page.goto("/");
      const charge = page.getByRole("form", { name: "Price calculator" }).getByText("Charge", { exact: true });
      if (viewport.width < 640) await expect(charge).toBeInViewport();
      await click(page.getByRole("button", { name: /^Order · \$/ }));
      await expect(page.getByText(/^Your order1,000 .+ · \$\d+\.\d\d$/)).toBeVisible();
      await fill(page.getByLabel("Email address"), `${crypto.randomUUID()}@test.example`);
      await fill(page.getByLabel("Password", { exact: true }), PASSWORD);
      await click(page.getByRole("button", { name: "Create account" }));
      await fill(page.getByLabel("Link", { exact: true }), LINK);
      await click(page.getByRole("button", { name: /^Top up \$\d+\.\d\d to order$/ }));
      await expect(page.getByRole("region", { name: "Finish your order" })).toContainText(LINK);
      await fill(page.getByRole("textbox", { name: "Code" }), code);
      await click(page.getByRole("button", { name: "Redeem and place order" }));
      await expect(page.getByText(/Order \d+ placed\. Charged \$\d+\.\d\d\. Balance: \$\d+\.\d\d/)).toBeVisible();
      const panel = page.getByRole("form", { name: "New order" });
      await expect(async () => {
        if (!javaScriptEnabled) await page.reload();
        await expect(panel.getByText("Completed")).toBeVisible({ timeout: 3000 });
      }).toPass();
      expect(taken()).toBeLessThanOrEqual(MAX_ACTIONS);
      await context.close();
    });
  }
}

test("tells a new customer the two steps, keeps the order while they pay by card, places it, and keeps the next one", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  const email = await signUpByRequest(page);
  await page.goto("/dashboard?service=3&quantity=20000");
  const steps = page.getByRole("main").getByRole("listitem");
  await expect(steps.filter({ hasText: /^\d/ })).toHaveText([/^1Add funds/, /^2Order/]);
  const addFunds = page.getByRole("main").getByRole("link", { name: "Add funds" });
  await expect(addFunds).toHaveAttribute("href", "/dashboard/top-up");
  const link = page.getByLabel("Link", { exact: true });
  await link.fill("https://instagram.com/p/bycard");
  await page.getByRole("button", { name: "Top up $7.00 to order" }).click();
  await page.waitForURL(/top-up\?/);
  await expect(page.getByText("To pay by card, first confirm your email address")).toHaveCount(1);
  await expect(page.getByText(/^Confirm your email address/)).toHaveCount(0);
  await confirmEmail(page, copy, email);
  await page.getByRole("link", { name: "Continue" }).click();
  // The link that sign-up sent knew nothing of the order; the way back is the draft.
  await page.waitForURL("/dashboard");
  await expect(link).toHaveValue("https://instagram.com/p/bycard");
  await page.getByRole("button", { name: "Top up $7.00 to order" }).click();
  await page.getByRole("button", { name: "Pay $7.00 by card" }).click();
  await page.getByRole("button", { name: "Pay $7.00" }).click();
  await page.waitForURL(/top-up\?checkout=/);
  await page.getByRole("button", { name: "Place order · $7.00" }).click();
  await page.waitForURL(/placed=\d+/);
  const placedUrl = page.url();
  await expect(page.getByText("Charged $7.00. Balance: $0.00")).toBeVisible();
  await expect(addFunds).toHaveCount(0);

  // The next order is a draft of its own, also on the page of the placed one.
  await page.getByRole("button", { name: "New order" }).click();
  await expect(link).toHaveValue("");
  await expect(page.getByText("Charged $7.00.")).toHaveCount(0);
  await link.fill("https://instagram.com/p/thenext");
  await page.waitForURL("/dashboard");
  await page.goto(placedUrl);
  await expect(link).toHaveValue("https://instagram.com/p/thenext");
  await expect(page.getByText("Charged $7.00.")).toHaveCount(0);
});

test("keeps the charge and the button in view while the form is scrolled, on desktop and phone", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  await signIn(page, copy, "customer", "/dashboard?service=3");
  for (const viewport of [
    { width: 1280, height: 480 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    const panel = page.getByRole("form", { name: "New order" });
    const [first, last] = [panel.getByLabel("Find a service", { exact: true }), panel.getByLabel("Quantity")];
    for (const [field, block] of [
      [first, "start"],
      [last, "end"],
    ] as const) {
      await field.evaluate((element, to) => element.scrollIntoView({ block: to }), block);
      await expect(panel.getByText("Charge", { exact: true })).toBeInViewport({ ratio: 1 });
      await expect(panel.getByRole("button", { name: /^Place order/ })).toBeInViewport({ ratio: 1 });
    }
  }
});

function counted() {
  let actions = 0;
  return {
    taken: () => actions,
    click: (target: Locator) => {
      actions++;
      return target.click();
    },
    fill: (target: Locator, text: string) => {
      actions++;
      return target.fill(text);
    },
  };
}

async function newCode(browser: Browser, copy: LocalCopy): Promise<string> {
  const admin = await otherPage(browser, copy, "admin", "/admin/codes");
  await admin.getByLabel("Name", { exact: true }).fill("First order");
  await admin.getByLabel("Amount in USD").fill("10");
  await admin.getByRole("button", { name: "Create codes" }).click();
  const code = await admin.getByLabel("New codes").inputValue();
  await admin.context().close();
  return code;
}

async function confirmEmail(page: Page, copy: LocalCopy, email: string): Promise<void> {
  await page.goto(await linkInEmail(copy, email, /^Confirm your email address/));
  await page.getByRole("button", { name: "Confirm email address" }).click();
  await expect(page.getByText(`${email} is confirmed.`)).toBeVisible();
}
