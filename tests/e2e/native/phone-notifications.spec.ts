import { test as base } from "@playwright/test";
import { expect, signUp } from "#tests/e2e/fixtures.ts";
import { bubbles, openConsole, row, say } from "#tests/e2e/support/chat-steps.ts";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { type Received, startPushService } from "#tests/stand-ins/push-service.ts";
import { simulatePhone } from "./native-bridge.ts";

const FLAG = "growline.onboarding.app.v1";

/** A copy of its own, because it reaches Firebase's stand-in. */
base("notifies the app of an answer, which a tap opens", async ({ browser }) => {
  base.setTimeout(180_000);
  const service = await startPushService();
  const copy = await startLocalCopy({ FCM_SERVICE_ACCOUNT: service.serviceAccount, FCM_API_URL: service.url });
  try {
    const token = `phone:${crypto.randomUUID()}`;
    const context = await browser.newContext({ baseURL: copy.url });
    const phone = await simulatePhone(context, "android", { pushToken: token });
    await context.addInitScript((flag) => localStorage.setItem(flag, "1"), FLAG);
    const page = await context.newPage();
    const name = `Ada ${Date.now()}`;
    await signUp(page, name);
    await page.getByRole("button", { name: "Open support chat" }).click();
    await page.getByRole("button", { name: "Start Chat" }).click();
    await say(page, "Where is my order?");
    await page.getByRole("button", { name: "Get a notification when we answer" }).click();
    await expect(page.getByText("We'll notify you when we answer.")).toBeVisible();
    expect((await phone.calls(page)).map((call) => call.name)).toContain("PushNotifications.register");

    const agent = await openConsole(browser, copy, "agent");
    await row(agent, name).click();
    await page.getByRole("button", { name: "Close chat" }).click();
    await say(agent, "It is on its way.");
    const received = async () =>
      (await (await fetch(`${service.url}/received?${new URLSearchParams({ of: token })}`)).json()) as Received[];
    await expect.poll(received, { timeout: 20_000 }).toHaveLength(1);
    const [{ message } = { message: {} }] = await received();
    expect(message).toMatchObject({
      notification: { body: "It is on its way." },
      data: { path: "/dashboard#support-chat" },
    });

    const tap = { actionId: "tap", notification: { data: (message as { data: unknown }).data } };
    await phone.fire(page, "PushNotifications", "pushNotificationActionPerformed", tap);
    await expect(bubbles(page).filter({ hasText: "It is on its way." })).toBeVisible();
    await page.getByRole("button", { name: "Close chat" }).click();
    const order = { actionId: "tap", notification: { data: { path: "/dashboard/orders?from=tap" } } };
    await phone.fire(page, "PushNotifications", "pushNotificationActionPerformed", order);
    await page.waitForURL("**/dashboard/orders?from=tap");
    const foreign = { actionId: "tap", notification: { data: { path: "//evil.example/" } } };
    await phone.fire(page, "PushNotifications", "pushNotificationActionPerformed", foreign);
    await expect(page).toHaveURL(/from=tap$/);
  } finally {
    await copy.remove();
    await service.close();
  }
});
