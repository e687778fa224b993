import { allowConsole, expect, signIn, test } from "#tests/e2e/fixtures.ts";
import { choose, fillOrder } from "./order-form-steps.ts";

const POST = "https://www.instagram.com/p/Cx7yQ2Lr9aB/";
const PROFILE = "https://www.instagram.com/norabakes/";

test("narrows the catalog to services that take the pasted link, and shows all again", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  const options = page.getByRole("listbox", { name: "Services" }).getByRole("option");
  await expect(options.first()).toBeVisible();
  await page.getByLabel("Link", { exact: true }).fill("https://m.youtube.com/watch?v=aB3dE5fG7hI&feature=share");
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

test("shows the right form for a wrong link, before and after it is sent, and charges nothing", async ({
  page,
  copy,
}) => {
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "customer");
  await fillOrder(page, { service: "Instagram likes", link: PROFILE, quantity: "100" });
  const link = page.getByLabel("Link", { exact: true });
  const right = /Paste a link to a post, like https:\/\/www\.instagram\.com\/p\/…/;
  await expect(link).toHaveAccessibleDescription(right);
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(link).toBeFocused();
  await expect(link).toHaveAccessibleDescription(right);
  await link.fill(POST);
  await expect(link).not.toHaveAccessibleDescription(right);
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
});

test("asks about a doubtful link, and orders once it is agreed to", async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "customer", "/dashboard?service=1");
  await page.getByLabel("Link", { exact: true }).fill(`https://instagram.com/p/${crypto.randomUUID()}`);
  await expect(page.getByText(/This looks like an Instagram post\./)).toBeVisible();
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByText(/Order \d+ placed/)).toHaveCount(0);
  await page.getByRole("checkbox", { name: "Order with this link anyway" }).check();
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
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
