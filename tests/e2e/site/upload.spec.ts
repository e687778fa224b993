import { readFile, writeFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { allowConsole, expect, PASSWORD, sessionOf, signIn, test } from "#tests/e2e/fixtures.ts";

const MIB = 1024 * 1024;

test(
  "refuses files whose content does not match their name, uploads one through a cut connection, and resumes one after a reload",
  { tag: "@nightly" },
  async ({ page, copy }, testInfo) => {
    test.slow();
    allowConsole(page, /status of 415|ERR_INTERNET_DISCONNECTED|Failed to load resource|Failed to fetch/);
    await signIn(page, copy, "customer", "/upload");
    await test.step("refused files", async () => {
      await page.getByLabel("Drop files here or choose them").setInputFiles([
        { name: "photo.png", mimeType: "image/png", buffer: Buffer.from("<html><script>alert(1)</script></html>") },
        { name: "setup.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ") },
      ]);
      const rows = page.getByRole("list", { name: "Uploading" }).getByRole("listitem");
      await expect(rows.filter({ hasText: "photo.png" })).toContainText("The file's content doesn't match its type");
      await expect(rows.filter({ hasText: "setup.exe" })).toContainText("This file type isn't supported");
    });
    await test.step("11 MB", () => uploadsThroughCut(page, { mib: 11, progress: "90", parts: [1, 2, 3, 3] }));
    await test.step("a reload", async () => {
      // A file on disk, which has the same time when it is chosen again.
      const chosen = testInfo.outputPath("rows.csv");
      await writeFile(chosen, Buffer.alloc(6 * MIB, "a,b\n"));
      const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
      await page.route(/part=2$/, () => held());
      await page.getByLabel("Drop files here or choose them").setInputFiles(chosen);
      await isHeld;
      await page.reload();
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await expect(page.getByRole("region", { name: "Unfinished" })).toContainText("5.0 MB of 6.0 MB uploaded");
      // Nothing is kept of the refused files.
      await expect(page.getByText("photo.png")).toHaveCount(0);
      const sent: string[] = [];
      page.on("request", (request) => sent.push(...(/part=\d+/.exec(request.url()) ?? [])));
      await page.getByLabel("Drop files here or choose them").setInputFiles(chosen);
      await expect(page.getByRole("link", { name: "Download rows.csv" })).toBeVisible();
      expect(sent).toEqual(["part=2"]);
      await expect(page.getByRole("region", { name: "Unfinished" })).toHaveCount(0);
    });
  },
);

test("uploads 26 MB with progress through a cut connection and downloads them unchanged", { tag: "@nightly" }, async ({
  page,
  copy,
}) => {
  test.slow();
  allowConsole(page, /ERR_INTERNET_DISCONNECTED|Failed to load resource|Failed to fetch/);
  await signIn(page, copy, "customer", "/upload");
  await uploadsThroughCut(page, { mib: 26, progress: "38", parts: [1, 2, 3, 3, 4, 5, 6] });
});

test("lets nobody else read, resume or delete a customer's file", async ({ browser, copy }) => {
  const customer = await browser.newContext({
    baseURL: copy.url,
    storageState: await sessionOf(browser, copy, "customer"),
  });
  const headers = { Origin: copy.url };
  const started = await customer.request.post("/upload/parts", { data: { name: "mine.csv", size: 4 }, headers });
  const { id } = (await started.json()) as { id: string };
  const stranger = await browser.newContext({ baseURL: copy.url });
  const account = { fullName: "Eve", email: `${crypto.randomUUID()}@test.example`, password: PASSWORD };
  await stranger.request.post("/auth/signup", { form: account, headers });
  const part = `/upload/parts/${id}`;
  expect((await stranger.request.get(part)).status()).toBe(404);
  expect((await stranger.request.put(`${part}?part=1`, { data: Buffer.from("1,2\n"), headers })).status()).toBe(404);
  expect((await stranger.request.delete(part, { headers })).status()).toBe(404);
  expect((await customer.request.put(`${part}?part=1`, { data: Buffer.from("1,2\n"), headers })).status()).toBe(200);
  expect((await stranger.request.post(part, { headers })).status()).toBe(404);
  expect((await customer.request.post(part, { headers })).status()).toBe(201);
  expect((await customer.request.post(part, { headers })).status()).toBe(201);

  const file = await customer.request.get(`/upload/files/${id}`);
  expect(await file.text()).toBe("1,2\n");
  expect(file.headers()["content-disposition"]).toContain("attachment");
  expect(file.headers()["x-content-type-options"]).toBe("nosniff");
  expect((await stranger.request.get(`/upload/files/${id}`)).status()).toBe(404);
  expect((await stranger.request.post("/upload", { form: { intent: "delete", id }, headers })).status()).toBe(404);
  expect((await stranger.request.get(`/dashboard/orders/mass?upload=${id}`)).url()).toContain("draft=");
  expect(await (await stranger.request.get("/upload")).text()).not.toContain("mine.csv");
  expect(await (await customer.request.get("/upload")).text()).toContain("mine.csv");
  await stranger.close();
  await customer.close();
});

/** Uploads a file of `mib` MiB, whose third part is sent again, downloads it unchanged and deletes it. Parts have 5 MiB. */
async function uploadsThroughCut(
  page: Page,
  { mib, progress, parts }: { mib: number; progress: string; parts: number[] },
): Promise<void> {
  const content = Buffer.alloc(mib * MIB, "0123456789abcdef");
  content.write("%PDF-1.7\n");
  const sent: number[] = [];
  page.on("request", (request) => {
    const part = /\/upload\/parts\/[^?]+\?part=(\d+)/.exec(request.url())?.[1];
    if (part) sent.push(Number(part));
  });
  // The connection is cut while the third part is being sent.
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  await page.route(/part=3$/, async (route) => {
    if (sent.filter((part) => part === 3).length > 1) return route.continue();
    await page.context().setOffline(true);
    cut();
    await route.abort("internetdisconnected");
  });
  await page
    .getByLabel("Drop files here or choose them")
    .setInputFiles({ name: "large.pdf", mimeType: "application/pdf", buffer: content });
  const row = page.getByRole("list", { name: "Uploading" }).getByRole("listitem").filter({ hasText: "large.pdf" });
  await isCut;
  await expect(row).toContainText("Waiting for connection");
  await expect(row).toContainText(`10.0 MB of ${mib}.0 MB`);
  await expect(row.getByRole("progressbar")).toHaveAttribute("value", progress);
  await page.context().setOffline(false);
  await expect(row).toContainText("Uploaded", { timeout: 60_000 });
  expect(sent).toEqual(parts);

  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download large.pdf" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("large.pdf");
  expect(content.equals(await readFile(await file.path()))).toBe(true);

  await page.getByRole("button", { name: "Delete large.pdf" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("link", { name: "Download large.pdf" })).toHaveCount(0);
}
