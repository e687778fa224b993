import type { Page } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import {
  attach,
  bubbles,
  CAT,
  CUT_OFF,
  controlConnection,
  meet,
  openChat,
  PNG,
  startChat,
  storedFiles,
  uploadsOf,
} from "./chat-steps.ts";

const KEEP_OPEN = /storage is full\. Keep this page open/;

test("keeps an unsent file after a reload, and sends it once from one of two tabs", async ({
  browser,
  context,
  page,
  copy,
}) => {
  const connection = await controlConnection(context);
  const uploads = uploadsOf(context);
  allowConsole(page, CUT_OFF);
  const { agent } = await meet({ browser, copy, page }, "Fina");

  await connection.cut();
  await giveFile(page, "paste", CAT.name);
  await expect(page.getByText("Not sent")).toBeVisible();
  await page.reload();
  const other = await context.newPage();
  allowConsole(other, CUT_OFF);
  await other.goto("/");
  for (const tab of [page, other]) {
    await openChat(tab);
    await expect(tab.getByText("Not sent")).toBeVisible();
    await expect(bubbles(tab).filter({ hasText: "cat.png" })).toHaveCount(1);
  }

  connection.restore();
  for (const tab of [page, other, agent]) await expect(tab.getByRole("img", { name: "cat.png" })).toHaveCount(1);
  for (const tab of [page, other]) {
    await expect(tab.getByText("Not sent")).toHaveCount(0);
    await expect(bubbles(tab)).toHaveCount(2);
  }
  expect(uploads).toEqual([200]);

  await page.reload();
  await openChat(page);
  await expect(page.getByRole("img", { name: "cat.png" })).toHaveCount(1);
  await expect(bubbles(page)).toHaveCount(2);
  expect(uploads).toEqual([200]);
  await agent.context().close();
});

test("warns if the browser has no storage for a file, and still sends it", { tag: "@nightly" }, async ({
  context,
  page,
  copy,
}) => {
  allowConsole(page, CUT_OFF);
  const connection = await controlConnection(context);
  await startChat(page, "Quinn");
  const devtools = await context.newCDPSession(page);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: copy.url, quotaSize: 1000 });
  await connection.cut();
  await attach(page, { ...CAT, buffer: Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]) });
  await expect(page.getByText(KEEP_OPEN)).toBeVisible();
  connection.restore();
  await expect(page.getByRole("img", { name: "cat.png" })).toBeVisible();
  await expect(page.getByText(KEEP_OPEN)).toHaveCount(0);
});

test("sends files that are picked, pasted and dropped once and in order, and keeps a rejected one until it is discarded", {
  tag: "@nightly",
}, async ({ browser, context, page, copy }) => {
  allowConsole(page, /415/);
  const uploads = uploadsOf(context);
  const { agent } = await meet({ browser, copy, page }, "Mila");
  await page.getByLabel("File to send").setInputFiles([
    { ...CAT, name: "1.png" },
    { ...CAT, name: "2.png" },
  ]);
  await giveFile(page, "paste", "3.png");
  await expect.poll(() => shownFiles(agent)).toEqual(["1.png", "2.png", "3.png"]);
  await giveFile(agent, "drop", "4.png");
  for (const tab of [page, agent])
    await expect.poll(() => shownFiles(tab)).toEqual(["1.png", "2.png", "3.png", "4.png"]);
  expect(uploads).toEqual([200, 200, 200]);
  await giveFile(page, "paste", "copied-table.png", "text/rtf");
  await agent.getByRole("button", { name: "Note", exact: true }).click();
  await giveFile(agent, "paste", "secret.png");
  expect(await shownFiles(agent)).toHaveLength(4);
  expect(await shownFiles(page)).toHaveLength(4);

  await test.step("keeps a rejected file and its reason after a reload, to discard and not to try again", async () => {
    await attach(page, { ...CAT, name: "fake.png", buffer: Buffer.from("<html>") });
    const refused = page.getByText("Not sent. You can only send images and PDFs.");
    await expect(refused).toBeVisible();
    const reopen = async () => {
      await page.reload();
      await openChat(page);
      await expect.poll(() => shownFiles(page)).toHaveLength(4);
    };
    await reopen();
    await expect(refused).toBeVisible();
    await expect(page.getByRole("button", { name: "Try again" })).toHaveCount(0);
    await page.getByRole("button", { name: "Discard" }).click();
    await expect(refused).toHaveCount(0);
    await expect(bubbles(page)).toHaveCount(5);
    await reopen();
    await expect(bubbles(page)).toHaveCount(5);
    await expect(refused).toHaveCount(0);
    expect(uploads).toEqual([200, 200, 200, 415]);
  });
  await agent.context().close();
});

test("shows the picture that is being sent, and cancels it, also from another tab", { tag: "@nightly" }, async ({
  context,
  page,
}) => {
  allowConsole(page, CUT_OFF);
  const uploads = uploadsOf(context);
  await startChat(page, "Cato");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await context.route("**/files?**", async (route) => {
    await released;
    await route.continue().catch(() => {});
  });
  await attach(page, CAT);
  const bubble = bubbles(page).filter({ hasText: "cat.png" });
  await expect(bubble.locator("img")).toHaveJSProperty("naturalWidth", 1);
  await expect(page.getByText("Sending…")).toBeVisible();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(bubbles(page)).toHaveCount(1);

  await attach(page, { ...CAT, name: "canceled.png" });
  await expect.poll(() => storedFiles(page)).toBe(1);
  const other = await context.newPage();
  allowConsole(other, CUT_OFF);
  await other.goto("/");
  await openChat(other);
  await other.getByRole("button", { name: "Cancel", exact: true }).click();
  for (const tab of [page, other]) await expect(bubbles(tab)).toHaveCount(1);
  release();
  await context.unroute("**/files?**");
  await attach(page, { ...CAT, name: "next.png" });
  for (const tab of [page, other]) {
    await expect(tab.getByRole("img", { name: "next.png" })).toBeVisible();
    await expect(bubbles(tab)).toHaveCount(2);
  }
  expect(uploads).toEqual([200]);
});

/** Returns the names of the images in the thread. */
function shownFiles(page: Page): Promise<string[]> {
  return page
    .getByRole("log")
    .getByRole("img")
    .evaluateAll((images) => images.map((image) => image.getAttribute("alt") ?? ""));
}

/**
 * Pastes a file into the composer, or drops it on the thread. Finder adds its name as plain text, an office program
 * the text that it is a picture of.
 */
async function giveFile(
  page: Page,
  type: "paste" | "drop",
  name: string,
  textType: "text/plain" | "text/rtf" = "text/plain",
): Promise<void> {
  const target = type === "paste" ? page.locator("form textarea").last() : page.getByRole("log");
  await target.evaluate(
    (element, given) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(given.content), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], given.name, { type: "image/png" }));
      if (given.type === "paste") data.setData(given.textType, given.name);
      const init = { bubbles: true, cancelable: true };
      const event =
        given.type === "paste"
          ? new ClipboardEvent("paste", { ...init, clipboardData: data })
          : new DragEvent("drop", { ...init, dataTransfer: data });
      element.dispatchEvent(event);
    },
    { type, name, textType, content: PNG.toString("base64") },
  );
}

test("keeps a toast beside the agent's message field or above it", { tag: "@nightly" }, async ({
  browser,
  copy,
  page,
}) => {
  const { agent } = await meet({ browser, copy, page }, "Tova");
  for (const width of [1280, 390, 700]) {
    await agent.setViewportSize({ width, height: 800 });
    await attach(agent, { name: "virus.exe", mimeType: "application/x-msdownload", buffer: Buffer.from("MZ") });
    const toast = agent.getByText("virus.exe: You can only send images and PDFs.").last();
    await expect(toast).toBeVisible();
    await expect
      .poll(async () => {
        const form = await agent.locator("form", { has: agent.getByLabel("Your message") }).boundingBox();
        const box = await agent.locator("[data-sonner-toast]").first().boundingBox();
        return form && box && (box.x + box.width <= form.x || box.y + box.height <= form.y);
      }, `at ${width} px`)
      .toBe(true);
  }
  await agent.context().close();
});
