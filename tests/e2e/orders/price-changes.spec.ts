import type { Browser } from "@playwright/test";
import { allowConsole, expect, otherPage, signIn, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

/** A service that no other test orders. */
const SERVICE = { id: 35, name: "Twitch followers", rate: "2.60" };

test("charges no new price before it was shown, and tells of it under Updates, in the feed and to who starred it", async ({
  page,
  copy,
  browser,
}) => {
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "customer", `/dashboard?service=${SERVICE.id}&quantity=1000`);
  const star = page.getByRole("button", { name: `Favorite: ${SERVICE.name}` });
  await star.click();
  await expect(star).toHaveAttribute("aria-pressed", "true");
  await page.getByLabel("Link", { exact: true }).fill("https://www.twitch.tv/growline");
  await changeRate(browser, copy, "3.10");
  await page.getByRole("button", { name: "Place order · $2.60" }).click();
  await expect(page.getByText(/changed from \$2\.60 to \$3\.10\. Nothing was charged/)).toBeVisible();
  await expect(page.getByText(/Order \d+ placed/)).toHaveCount(0);
  await page.getByRole("button", { name: "Place order · $3.10" }).click();
  await expect(page.getByText(/Order \d+ placed\. Charged \$3\.10/)).toBeVisible();

  await page.getByRole("button", { name: "New order" }).click();
  await expect(page.getByRole("button", { name: "Place order · $3.10" })).toBeVisible();

  await page.reload();
  const notices = page.getByRole("region", { name: "Changes of your favorites" });
  await expect(notices).toContainText("Twitch followers: the price went up from $2.60 to $3.10.");
  await notices.getByRole("button", { name: "Dismiss" }).click();
  await expect(notices).toHaveCount(0);

  await page.goto("/updates");
  const newest = page.getByRole("main").getByRole("listitem").first();
  await expect(newest).toContainText(SERVICE.name);
  await expect(newest).toContainText("Price $2.60 → $3.10");
  const feed = await page.getByRole("link", { name: "Subscribe by RSS" }).getAttribute("href");
  const response = await page.request.get(feed ?? "");
  expect(response.headers()["content-type"]).toContain("application/rss+xml");
  const [first] = await page.evaluate(itemsOf, await response.text());
  expect(first).toMatchObject({ title: `Changed: ${SERVICE.name}`, guidIsLink: "false" });
  expect(first?.description).toContain("Price $2.60 → $3.10");
  expect(await (await page.request.get(first?.link ?? "")).text()).toContain(SERVICE.name);
});

/** Returns a feed's items as the browser's parser reads them. It throws for text that isn't XML. */
function itemsOf(xml: string) {
  const feed = new DOMParser().parseFromString(xml, "application/xml");
  if (feed.querySelector("parsererror")) throw new Error(feed.documentElement.textContent ?? "");
  return [...feed.querySelectorAll("rss > channel > item")].map((item) => ({
    title: item.querySelector("title")?.textContent,
    link: item.querySelector("link")?.textContent,
    description: item.querySelector("description")?.textContent,
    guidIsLink: item.querySelector("guid")?.getAttribute("isPermaLink"),
  }));
}

async function changeRate(browser: Browser, copy: LocalCopy, rate: string): Promise<void> {
  const staff = await otherPage(browser, copy, "admin", `/admin/services/${SERVICE.id}`);
  await expect(staff.getByLabel("Rate in USD")).toHaveValue(SERVICE.rate);
  await staff.getByLabel("Rate in USD").fill(rate);
  await staff.getByRole("button", { name: "Save service" }).click();
  await expect(staff.getByText("Saved. The catalog and the API")).toBeVisible();
  await staff.context().close();
}
