import { expect, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { bubbles, openConsole, row, say } from "#tests/e2e/support/chat-steps.ts";
import { type Received, startPushService } from "#tests/stand-ins/push-service.ts";
import { simulatePhone } from "./native-bridge.ts";

const FLAG = "growline.onboarding.app.v1";

test("notifies the app of an answer, which a tap opens", { tag: "@nightly" }, async ({ browser, copy }) => {
  const service = await startPushService();
  try {
    await copy.configure({ FCM_SERVICE_ACCOUNT: service.serviceAccount, FCM_API_URL: service.url });
    const token = `phone:${crypto.randomUUID()}`;
    const context = await browser.newContext({ baseURL: copy.url });
    const phone = await simulatePhone(context, "android", { pushToken: token });
    const page = await context.newPage();
    // On the page, because a blank one has no storage.
    await page.addInitScript((flag) => localStorage.setItem(flag, "1"), FLAG);
    const name = `Ada ${Date.now()}`;
    await signUpByRequest(page, name);
    await page.goto("/dashboard");
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
    await expect.poll(received).toHaveLength(1);
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
    await copy.configure({});
    await service.close();
  }
});
