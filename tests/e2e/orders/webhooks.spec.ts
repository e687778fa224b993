import { Webhook } from "standardwebhooks";
import { allowConsole, expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { signUpConfirmed } from "#tests/e2e/received-emails.ts";
import { type Received, startWebhookReceiver } from "#tests/stand-ins/webhook-receiver.ts";

const FOUR_DAYS_MS = 4 * 24 * 60 * 60 * 1000;

let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
test.beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
test.afterAll(() => receiver.close());

test("shows an API key and a webhook's secret once, signs its tests, and turns on a webhook that failures turned off", async ({
  page,
  copy,
}) => {
  const url = `${receiver.url}/shop`;
  const email = await signUpConfirmed(page, copy);
  await page.goto("/dashboard/api");
  await untilHydrated(page);

  const key = await test.step("creates an API key, which works", async () => {
    await page.getByLabel("Key name").fill("Spreadsheet");
    await page.getByRole("button", { name: "Create key" }).click();
    const shown = page.getByText(/^gl_live_[0-9a-f]{54}$/).first();
    await expect(shown).toBeVisible();
    return (await shown.textContent()) ?? "";
  });
  const headers = { Authorization: `Bearer ${key}` };
  expect((await page.request.get("/api/balance", { headers })).status()).toBe(200);

  const row = page.getByRole("row", { name: new RegExp(url) });
  const kept = await test.step("adds a webhook, and tests it with a signed request", async () => {
    await page.getByLabel("Endpoint URL").fill(url);
    await page.getByRole("button", { name: "Add webhook" }).click();
    const secret = page.getByText(/^whsec_/);
    await expect(secret).toBeVisible();
    const shown = (await secret.textContent()) ?? "";
    await expect(row).toContainText("On");
    await page.getByRole("button", { name: `Send test to ${url}` }).click();
    await expect(page.getByText("Test delivered: your endpoint returned 204.")).toBeVisible();
    const [call] = (await (await fetch(url)).json()) as Received[];
    expect(new Webhook(shown).verify(call?.body ?? "", call?.headers ?? {})).toMatchObject({ type: "webhook.test" });
    await row.getByRole("link", { name: "Log" }).click();
    await page.waitForURL(/webhook=/);
    await expect(page.getByRole("row", { name: /webhook\.test/ })).toContainText("Delivered, 204");
    const events = page.getByRole("group", { name: `Events for ${url}` });
    await events.getByRole("checkbox", { name: "Catalog changes" }).check();
    await page.getByRole("button", { name: "Save events" }).click();
    await expect(row).toContainText("Orders and balanceCatalog changes");
    return shown;
  });

  const broken = `${receiver.url}/broken`;
  const brokenRow = page.getByRole("row", { name: new RegExp(broken) });
  await test.step("shows that a webhook fails", async () => {
    await page.getByLabel("Endpoint URL").fill(`${broken}?fail=1`);
    await page.getByRole("button", { name: "Add webhook" }).click();
    await expect(brokenRow).toContainText("On");
    await page.getByRole("button", { name: `Send test to ${broken}` }).click();
    await expect(page.getByText("Test failed: HTTP 500.")).toBeVisible();
    await expect(brokenRow).toContainText("Failing");
  });
  // As the dispatcher writes it: webhook-endpoints.server.test.ts.
  const turnOff =
    "update webhook_endpoints set failing_since = ?, disabled_at = ? where user_id = (select id from users where email = ?) and url like ?";
  await copy.changeRows("DB", turnOff, Date.now() - FOUR_DAYS_MS, Date.now(), email, `${broken}%`);

  await page.reload();
  await untilHydrated(page);
  await test.step("shows no key or secret again", async () => {
    await expect(row).toBeVisible();
    for (const secret of [key, kept]) expect(await page.content()).not.toContain(secret);
  });

  await test.step("turns a webhook on again that days of failures turned off", async () => {
    await expect(brokenRow).toContainText("after failing for three days");
    await page.getByRole("button", { name: /^Turn on/ }).click();
    await expect(brokenRow).not.toContainText("after failing");
    await page.getByRole("button", { name: `Send test to ${broken}` }).click();
    await expect(page.getByText("Test delivered: your endpoint returned 204.")).toBeVisible();
    expect((await (await fetch(broken)).json()) as Received[]).toHaveLength(2);
  });

  await test.step("removes a webhook once asked", async () => {
    await page.getByRole("button", { name: `Remove the webhook ${url}` }).click();
    const question = page.getByRole("dialog", { name: "Remove this webhook?" });
    await question.getByRole("button", { name: "Keep it" }).click();
    await expect(question).toHaveCount(0);
    await expect(row).toBeVisible();
    await page.getByRole("button", { name: `Remove the webhook ${url}` }).click();
    await question.getByRole("button", { name: "Remove webhook" }).click();
    await expect(row).toHaveCount(0);
  });

  await test.step("refuses a key once it is revoked", async () => {
    await page
      .getByRole("row", { name: /Spreadsheet/ })
      .getByRole("button", { name: /Revoke/ })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByRole("row", { name: /Spreadsheet/ })).toHaveCount(0);
    expect((await page.request.get("/api/balance", { headers })).status()).toBe(401);
  });
});

test("shows an invalid URL beside its field", { tag: "@nightly" }, async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  await signUpConfirmed(page, copy);
  await page.goto("/dashboard/api");
  const field = page.getByLabel("Endpoint URL");
  await field.fill("ftp://example.com/hook");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await expect(field).toHaveAccessibleDescription(/public https URL, like/);
  await expect(field).toHaveValue("ftp://example.com/hook");
});

test("shows the low-balance notice on every page until the threshold is removed", { tag: "@nightly" }, async ({
  page,
  copy,
}) => {
  allowConsole(page, /status of 400/);
  await signUpConfirmed(page, copy);
  await page.goto("/dashboard/transactions");
  const below = page.getByLabel("Notify me when my balance is below");
  const notice = page.getByText(/Your balance is below/);
  await below.fill("much");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(below).toHaveAccessibleDescription(/Enter an amount like 10/);
  await expect(notice).toHaveCount(0);
  await below.fill("12.50");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(notice).toContainText("$12.50");
  for (const path of ["/dashboard", "/dashboard/orders", "/dashboard/api", "/upload", "/gmail-sync"]) {
    expect(await (await page.request.get(path)).text(), path).toMatch(/Your balance is below .*12\.50/);
  }
  await notice.getByRole("link", { name: "change this notice" }).click();
  await page.waitForURL(/transactions#low-balance/);
  await expect(below).toHaveValue("12.50");

  // A balance equal to the threshold is not low.
  await notice.getByRole("link", { name: "Top up" }).click();
  await page.getByLabel("Amount in USD").fill("12.50");
  await page.getByRole("button", { name: "Pay $12.50 by card" }).click();
  await page.getByRole("button", { name: "Pay $12.50" }).click();
  await page.waitForURL(/top-up\?checkout=/);
  await expect(page.getByText("$12.50 added to your balance. Thank you.")).toBeVisible();
  await expect(notice).toHaveCount(0);

  await page.getByRole("link", { name: "Transactions", exact: true }).click();
  await below.fill("100");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(notice).toContainText("$100.00");
  await below.fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(notice).toHaveCount(0);
  await page.reload();
  await expect(below).toHaveValue("");
  await expect(notice).toHaveCount(0);
});
