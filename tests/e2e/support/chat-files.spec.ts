import type { BrowserContext, Page } from "@playwright/test";
import { allowConsole, expect, signUp, test } from "#tests/e2e/fixtures.ts";
import { attach, bubbles, CUT_OFF, lineOf, meet, PNG, say, startChat } from "./chat-steps.ts";

const CAT = { name: "cat.png", mimeType: "image/png", buffer: PNG };
const KEEP_OPEN = /no room left to keep this\. Leave the page open/;

test("a file that could not be sent survives a reload, and of two tabs one sends it, once", async ({
  browser,
  context,
  page,
  copy,
}) => {
  const line = await lineOf(context);
  const uploads = uploadsOf(context);
  allowConsole(page, CUT_OFF);
  const { agent } = await meet({ browser, copy, page }, "Fina");

  await line.cut();
  await attach(page, CAT);
  await expect(page.getByText("Not sent")).toBeVisible();
  await page.reload();
  const other = await context.newPage();
  allowConsole(other, CUT_OFF);
  await other.goto("/");
  for (const tab of [page, other]) {
    await tab.getByRole("button", { name: "Open support chat" }).click();
    await expect(tab.getByText("Not sent")).toBeVisible();
    await expect(bubbles(tab).filter({ hasText: "cat.png" })).toHaveCount(1);
  }

  line.mend();
  for (const tab of [page, other, agent]) await expect(tab.getByRole("img", { name: "cat.png" })).toHaveCount(1);
  for (const tab of [page, other]) {
    await expect(tab.getByText("Not sent")).toHaveCount(0);
    await expect(bubbles(tab)).toHaveCount(2);
  }
  expect(uploads).toEqual([200]);

  await page.reload();
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(page.getByRole("img", { name: "cat.png" })).toHaveCount(1);
  await expect(bubbles(page)).toHaveCount(2);
  expect(uploads).toEqual([200]);
  await agent.context().close();
});

test("a file that is refused stays so over a reload, is tried again by hand only, and can be discarded for good", async ({
  context,
  page,
}) => {
  allowConsole(page, /415/);
  const uploads = uploadsOf(context);
  await startChat(page, "Rafe");
  await attach(page, { ...CAT, name: "fake.png", buffer: Buffer.from("<html>") });
  await expect(page.getByText("Not sent")).toBeVisible();
  const reopen = async () => {
    await page.reload();
    await page.getByRole("button", { name: "Open support chat" }).click();
    await expect(
      page.getByText("The team", { exact: false }).or(page.getByText("Away now", { exact: false })),
    ).toBeVisible();
  };
  await reopen();
  await expect(page.getByText("Not sent")).toBeVisible();
  expect(uploads).toEqual([415]);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => uploads).toEqual([415, 415]);
  await expect(page.getByText("Not sent")).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(bubbles(page)).toHaveCount(1);
  await reopen();
  await expect(bubbles(page)).toHaveText([/^Hi Rafe!/]);
  expect(uploads).toEqual([415, 415]);
});

test("what an anonymous visitor could not send goes along to the account that is signed up for, a text and a file, and is sent there once", async ({
  browser,
  context,
  page,
  copy,
}) => {
  allowConsole(page, CUT_OFF);
  const line = await lineOf(context);
  const uploads = uploadsOf(context);
  const { agent } = await meet({ browser, copy, page }, "Vida");
  await line.cut();
  await say(page, "before I had an account");
  await attach(page, CAT);
  await expect.poll(() => filesKept(page)).toBe(1);
  await signUp(page, "Vida Account");
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(bubbles(page)).toHaveText(["before I had an account", "cat.png"]);
  expect(uploads).toEqual([]);

  line.mend();
  await agent.waitForURL(/\/admin\/support\/user_/);
  const own = new URL(agent.url()).pathname.split("/").at(-1) ?? "";
  for (const tab of [page, agent]) {
    await expect(tab.getByRole("img", { name: "cat.png" })).toHaveCount(1);
    await expect(bubbles(tab)).toHaveText([/^Hi Vida/, "before I had an account", ""]);
    await expect(tab.getByText("Not sent")).toHaveCount(0);
  }
  expect(uploads).toEqual([200]);
  // Nothing is left that another visit would send again, under the one name or the other.
  await page.reload();
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(bubbles(page)).toHaveText([/^Hi Vida/, "before I had an account", ""]);
  expect(uploads).toEqual([200]);
  expect(await page.evaluate(() => localStorage.getItem("support_session_id"))).toBe(own);
  await agent.context().close();
});

test("a browser without room for a file says so, and sends it all the same", async ({ context, page, copy }) => {
  allowConsole(page, CUT_OFF);
  const line = await lineOf(context);
  await startChat(page, "Quinn");
  const devtools = await context.newCDPSession(page);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: copy.url, quotaSize: 1000 });
  await line.cut();
  await attach(page, { ...CAT, buffer: Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]) });
  await expect(page.getByText(KEEP_OPEN)).toBeVisible();
  line.mend();
  await expect(page.getByRole("img", { name: "cat.png" })).toBeVisible();
  await expect(page.getByText(KEEP_OPEN)).toHaveCount(0);
});

/** How many unsent files the browser keeps. */
function filesKept(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open("growline.support.files.v1");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const counting = opening.result.transaction("unsent").objectStore("unsent").count();
          counting.onerror = () => reject(counting.error);
          counting.onsuccess = () => resolve(counting.result);
          opening.result.close();
        };
      }),
  );
}

/** The statuses of the uploads that were answered. */
function uploadsOf(context: BrowserContext): number[] {
  const statuses: number[] = [];
  context.on("response", (response) => {
    if (response.url().includes("/files?")) statuses.push(response.status());
  });
  return statuses;
}
