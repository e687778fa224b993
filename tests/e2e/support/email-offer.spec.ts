import type { Page } from "@playwright/test";
import { allowConsole, expect, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { newPage, openConsole, row, say, startChat } from "./chat-steps.ts";

const OFFER = "Get the answer by email";

test("takes an email in the thread while the team is away, shows it to the agents, and asks no customer for one", {
  tag: "@nightly",
}, async ({ browser, copy, page }) => {
  allowConsole(page, /429/);
  test.slow();
  const name = `Ema ${Date.now()}`;
  await untilAway(page);
  await startChat(page, name);
  const offer = page.getByRole("button", { name: OFFER });
  await expect(page.getByRole("paragraph").filter({ hasText: "Away now · We'll reply here" })).toBeVisible();
  await expect(offer).toHaveCount(0);
  await say(page, "Anybody there?");
  await offer.click();
  const field = page.getByLabel("Your email for the answer");
  await expect(field).toBeFocused();
  await field.fill("nowhere");
  await field.press("Enter");
  await expect(page.getByText("Please check your email")).toBeVisible();
  await expect(field).toBeFocused();
  await page.route("**/email", (route) => route.fulfill({ status: 429, json: { error: "too_many" } }), { times: 1 });
  await field.fill("ema@visitor.example");
  await field.press("Enter");
  await expect(page.getByText("You've changed your email several times today.")).toBeVisible();
  await field.press("Enter");
  await expect(page.getByText("We'll email the answer to ema@visitor.example")).toBeVisible();
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await expect(page.getByRole("paragraph").filter({ hasText: "Away now · We'll reply by email" })).toBeVisible();
  await expect(field.or(offer)).toHaveCount(0);

  await test.step("asks no customer for an email", async () => {
    const customer = await newPage(browser, copy);
    await signUpByRequest(customer, "Cora Customer");
    await startChat(customer, "Cora");
    await say(customer, "Hello?");
    const away = customer.getByRole("paragraph").filter({ hasText: "Away now · We'll reply by email" });
    await expect(away).toBeVisible();
    await expect(customer.getByText("· Sent")).toBeVisible();
    await expect(customer.getByRole("button", { name: OFFER })).toHaveCount(0);
    await customer.context().close();
  });

  const agent = await openConsole(browser, copy, "agent");
  await row(agent, name).click();
  const details = agent.getByRole("complementary", { name: "Details" });
  await expect(details.getByRole("link", { name: "ema@visitor.example" })).toBeVisible();
  await agent.context().close();
});

/** An agent whose connection died in the test before counts as online for 40 s, and the panel asks once a minute. */
async function untilAway(page: Page): Promise<void> {
  const team = async () => (await page.request.get("/support/team")).json();
  await expect.poll(team, { timeout: 60_000 }).toMatchObject({ online: false });
}
