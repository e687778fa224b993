import { allowConsole, expect, signIn, test } from "#tests/e2e/fixtures.ts";

/** The worker's response to a page's action while the database is unavailable. */
const UNAVAILABLE = {
  status: 503,
  headers: { "Content-Type": "text/x-script; charset=utf-8", "X-Remix-Response": "yes", "Retry-After": "10" },
  body: '[{"_1":2},"error",["ErrorResponse",3,4,5],"The database is not responding.",503,""]\n',
};

test("sends a form again whose answer was lost in an outage, once, and no form that got an answer or can't be sent twice", async ({
  page,
  copy,
}) => {
  await signIn(page, copy, "admin", "/admin/codes");
  const name = `Spring ${crypto.randomUUID().slice(0, 8)}`;
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Amount in USD").fill("5");
  let isFirst = true;
  await page.route(/\/admin\/codes\.data/, async (route) => {
    if (route.request().method() !== "POST" || !isFirst) return route.continue();
    isFirst = false;
    // It is carried out.
    await route.fetch();
    await route.fulfill(UNAVAILABLE);
  });
  allowConsole(page, /status of (400|409|503)/);
  await page.getByRole("button", { name: "Create codes" }).click();
  await expect(page.getByRole("heading", { name: "Our database isn't answering at the moment" })).toBeVisible();
  await expect(page.getByText("send it again: it takes effect once.")).toBeVisible();
  await page.getByRole("button", { name: "Send the form again" }).click();
  await expect(page.getByText("This form was already submitted.")).toBeVisible();
  await expect(page.getByRole("cell", { name })).toHaveCount(1);

  await test.step("offers to send no other form again", async () => {
    const send = () => page.getByRole("button", { name: "Create codes" }).click();
    // Refused, so that its key is unused.
    await send();
    await expect(page.getByLabel("Name", { exact: true })).toHaveAttribute("aria-invalid", "true");
    await page.route(/\/admin\/codes\.data/, (route) => route.fulfill(UNAVAILABLE));
    // As forms whose repetition does no harm.
    await page.evaluate(() => document.querySelector<HTMLInputElement>("form input[name=once]")?.remove());
    await send();
    await expect(page.getByRole("heading", { name: "Our database isn't answering at the moment" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Send the form again" })).toBeHidden();
  });
});
