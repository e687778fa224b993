import { join } from "node:path";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { chromiumPath } from "#tools/run/chromium.ts";
import { readArguments } from "#tools/run/command-line.ts";

/**
 * `node tools/pages/order-picture.ts`: places an order on a private copy, waits until it is completed, and writes the
 * pictures of its page that the landing page shows, in both themes. They are as large as LandingDetails says.
 */

const WIDTH = 760;
const HEIGHT = 464;
const SCALE = 2;
const LINK = "https://instagram.com/growline";
const folder = join(import.meta.dirname, "..", "..", "app", "landing");

readArguments({
  usage: "npm run order-picture: draws the pictures of an order's page that the landing page shows",
  options: {},
});
const copy = await startLocalCopy();
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox", "--disable-gpu"] });
try {
  const placed = await fetch(`${copy.url}/api/v1/create_order`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${copy.demo.customer.apiKey}`,
      "Content-Type": "application/json",
      "Idempotency-Key": "picture",
    },
    body: JSON.stringify({ service: 1, link: LINK, quantity: 2500 }),
  });
  if (!placed.ok) throw new Error(await placed.text());
  const { id } = (await placed.json()) as { id: number };
  for (const theme of ["dark", "light"]) {
    const context = await browser.newContext({
      baseURL: copy.url,
      viewport: { width: WIDTH, height: 1200 },
      deviceScaleFactor: SCALE,
      reducedMotion: "reduce",
    });
    await context.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
    const { email, password } = copy.demo.customer;
    await context.request.post("/auth/login", { form: { email, password }, headers: { Origin: copy.url } });
    const page = await context.newPage();
    await page.goto(`/dashboard/orders/${id}`);
    await page.getByText("Completed").first().waitFor({ timeout: 60_000 });
    await page.evaluate(() => document.fonts.ready);
    const top = (await page.getByRole("main").boundingBox())?.y ?? 0;
    const picture = await page.screenshot({ clip: { x: 0, y: top, width: WIDTH, height: HEIGHT } });
    const file = join(folder, `order-${theme}.webp`);
    const { size } = await sharp(picture)
      .resize(WIDTH * 1.5)
      .webp({ quality: 72, effort: 6 })
      .toFile(file);
    console.log(`${file}: ${size} bytes`);
    await context.close();
  }
} finally {
  await browser.close();
  await copy.remove();
}
