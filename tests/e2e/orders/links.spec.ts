import { allowConsole, expect, signIn, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { choose, fillOrder } from "./order-form-steps.ts";

const POST = "https://www.instagram.com/p/Cx7yQ2Lr9aB/";
const PROFILE = "https://www.instagram.com/norabakes/";

test("narrows the catalog to the pasted link, refuses a wrong one beside its field, and orders a doubtful one once agreed", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  const before = await balance(copy);
  await signIn(page, copy, "customer");
  const options = page.getByRole("listbox", { name: "Services" }).getByRole("option");
  const link = page.getByLabel("Link", { exact: true });
  const place = page.getByRole("button", { name: /Place order/ });
  const placed = page.getByText(/Order \d+ placed/);

  await test.step("narrows the catalog, and shows all again", async () => {
    await expect(options.first()).toBeVisible();
    await link.fill("https://m.youtube.com/watch?v=aB3dE5fG7hI&feature=share");
    await expect(page.getByText("Services for a YouTube video.")).toBeVisible();
    await expect(options.filter({ hasText: "YouTube views, high retention" })).toBeVisible();
    await expect(options.filter({ hasText: "subscribers" })).toHaveCount(0);
    await expect(options.filter({ hasText: "Instagram" })).toHaveCount(0);
    await choose(page, "YouTube likes");
    await expect(page.getByText("A YouTube video: https://www.youtube.com/watch?v=aB3dE5fG7hI")).toBeVisible();
    await page.getByRole("button", { name: "Show all services" }).click();
    await page.getByLabel("Find a service", { exact: true }).fill("instagram likes");
    await expect(options.first()).toContainText("Instagram likes");
  });

  await test.step("shows the server's error beside its field, and charges nothing", async () => {
    await fillOrder(page, { service: "Instagram likes", link: "not a link", quantity: "2000" });
    await place.click();
    await expect(link).toHaveAttribute("aria-invalid", "true");
    await expect(link).toHaveAccessibleDescription(/^Paste a link to a post/);
    await expect(link).toHaveValue("not a link");
    expect(await balance(copy)).toBe(before);
  });

  await test.step("shows the right form for a wrong link, before and after it is sent", async () => {
    await link.fill(PROFILE);
    await page.getByLabel("Quantity").fill("100");
    const right = /Paste a link to a post, like https:\/\/www\.instagram\.com\/p\/…/;
    await expect(link).toHaveAccessibleDescription(right);
    await place.click();
    await expect(link).toBeFocused();
    await expect(link).toHaveAccessibleDescription(right);
    expect(await balance(copy)).toBe(before);
    await link.fill(POST);
    await expect(link).not.toHaveAccessibleDescription(right);
    await place.click();
    await expect(placed).toBeVisible();
  });

  await test.step("asks about a doubtful link, and orders once it is agreed to", async () => {
    await page.getByRole("button", { name: "New order" }).click();
    await expect(placed).toHaveCount(0);
    await choose(page, "Instagram followers, 30-day refill");
    await link.fill(`https://instagram.com/p/${crypto.randomUUID()}`);
    await expect(page.getByText(/This looks like an Instagram post\./)).toBeVisible();
    await place.click();
    await expect(page.getByRole("checkbox", { name: "Order with this link anyway" })).toBeVisible();
    await expect(placed).toHaveCount(0);
    await page.getByRole("checkbox", { name: "Order with this link anyway" }).check();
    await place.click();
    await expect(placed).toBeVisible();
  });
});

test("asks about a doubtful link without JavaScript too", { tag: "@nightly" }, async ({ page, copy, browser }) => {
  await signIn(page, copy, "customer");
  const storageState = await page.context().storageState();
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState, baseURL: copy.url });
  const old = await plain.newPage();
  allowConsole(old, /status of 400/);
  await old.goto("/dashboard?service=1");
  await expect(old.getByLabel("Link", { exact: true })).toHaveAccessibleDescription(/^Paste a link to a profile, like/);
  await old.getByLabel("Link", { exact: true }).fill(`https://instagram.com/p/${crypto.randomUUID()}`);
  await old.getByLabel("Quantity").fill("100");
  await old.getByRole("button", { name: /Place order/ }).click();
  await expect(old.getByText(/This looks like an Instagram post\./)).toBeVisible();
  await old.getByRole("checkbox", { name: "Order with this link anyway" }).check();
  await old.getByRole("button", { name: /Place order/ }).click();
  await expect(old.getByText(/Order \d+ placed/)).toBeVisible();
  await plain.close();
});

async function balance(copy: LocalCopy): Promise<unknown> {
  const headers = { Authorization: `Bearer ${copy.demo.customer.apiKey}` };
  return ((await (await fetch(`${copy.url}/api/balance`, { headers })).json()) as { balance: string }).balance;
}
