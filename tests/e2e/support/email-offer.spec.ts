import type { Page } from "@playwright/test";
import { allowConsole, expect, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { bubbles, meet, openConsole, row, say, startChat } from "./chat-steps.ts";

const OFFER = "Get the answer by email";

test("takes an email in the thread while the team is away, and shows it to the agents", async ({
  browser,
  copy,
  page,
}) => {
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

  const agent = await openConsole(browser, copy, "agent");
  await row(agent, name).click();
  const details = agent.getByRole("complementary", { name: "Details" });
  await expect(details.getByRole("link", { name: "ema@visitor.example" })).toBeVisible();
  await agent.context().close();
});

test("offers the answer by email after two minutes while the team is online, until it answers", async ({
  browser,
  copy,
  page,
}) => {
  await page.clock.install();
  const { agent } = await meet({ browser, copy, page }, "Wim");
  await say(page, "A hard question");
  await expect(page.getByText("· Sent")).toBeVisible();
  const offer = page.getByRole("button", { name: OFFER });
  await expect(offer).toHaveCount(0);
  await page.clock.fastForward("02:00");
  await expect(offer).toBeVisible();
  await say(agent, "The answer");
  await expect(bubbles(page).last()).toHaveText("The answer");
  await expect(offer).toHaveCount(0);
  await agent.context().close();
});

test("asks no customer for an email", async ({ page }) => {
  await untilAway(page);
  await signUpByRequest(page, "Cora Customer");
  await startChat(page, "Cora");
  await say(page, "Hello?");
  await expect(page.getByRole("paragraph").filter({ hasText: "Away now · We'll reply by email" })).toBeVisible();
  await expect(page.getByText("· Sent")).toBeVisible();
  await expect(page.getByRole("button", { name: OFFER })).toHaveCount(0);
});

/** An agent whose connection died in the test before counts as online for 40 s, and the panel asks once a minute. */
async function untilAway(page: Page): Promise<void> {
  const team = async () => (await page.request.get("/support/team")).json();
  await expect.poll(team, { timeout: 60_000 }).toMatchObject({ online: false });
}
