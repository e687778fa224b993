import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type APIRequestContext, type Browser, chromium, request } from "@playwright/test";
import { chromiumPath } from "#tools/run/chromium.ts";
import { CommandError, readArguments } from "#tools/run/command-line.ts";
import { type ConsoleState, STATES } from "./console-states.ts";
import { runningCopy } from "./running-copy.ts";

/**
 * `npm run screenshots:console [-- name …]`: draws each state of console-states.ts on the running copy (STATE_DIR, as for
 * `npm start`), or those whose names contain an argument. Writes two pictures per state to screenshots/console/: 1280 px
 * dark beside 390 px light, and the other way round.
 */

type Variant = { width: number; theme: "dark" | "light" };
type Login = { email: string; password: string };

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "screenshots", "console");
const SIDES: [Variant, Variant][] = [
  [
    { width: 1280, theme: "dark" },
    { width: 390, theme: "light" },
  ],
  [
    { width: 1280, theme: "light" },
    { width: 390, theme: "dark" },
  ],
];
/** A long list looks the same further down. */
const MOST_PX = 2600;
const USAGE = `npm run screenshots:console [-- name …]

Draws each screen and state of the operator's console, or those whose names contain an argument, on the running copy
(STATE_DIR). Fill it before it starts: npm run fill:shop -- --orders 3000 --services 200.`;
const { positionals: wanted } = readArguments({ usage: USAGE, options: {}, max: Number.POSITIVE_INFINITY });
const states = STATES.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (states.length === 0) throw new CommandError(`No state's name contains ${wanted.join(" or ")}.`);

const demo = await runningCopy();
mkdirSync(folder, { recursive: true });
const admin = await logIn(demo.admin);
const agent = await logIn(demo.agent);
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox", "--disable-gpu"] });
let failed = 0;
for (const state of states) await draw(browser, state);
await browser.close();
console.log(`${states.length - failed} of ${states.length} states in ${folder}`);
process.exitCode = failed > 0 ? 1 : 0;

async function draw(browser: Browser, state: ConsoleState): Promise<void> {
  try {
    for (const [wide, narrow] of SIDES) {
      await sideBySide(browser, `${state.name}-${wide.theme}`, [
        await take(browser, state, wide),
        await take(browser, state, narrow),
      ]);
    }
  } catch (error) {
    failed += 1;
    console.error(`${state.name}: ${error}`);
  }
}

async function take(browser: Browser, { who, reach }: ConsoleState, { width, theme }: Variant): Promise<Buffer> {
  const storageState = await (who === "agent" ? agent : admin).storageState();
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    baseURL: demo.url,
    locale: "en-US",
    storageState,
    // An animation could be captured halfway.
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(15_000);
  try {
    await context.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
    const page = await context.newPage();
    await reach(page, admin);
    await page.evaluate(() => document.fonts.ready);
    // Frames of the inbox and dialogs come in by themselves, and nothing tells when they have.
    await page.waitForTimeout(400);
    // The offline screen is as high as the window, whatever it covers.
    const height = await page.evaluate(() =>
      document.querySelector("[data-offline]") ? window.innerHeight : document.documentElement.scrollHeight,
    );
    // A window as high as the page: what sticks to its end would else stand in the middle of the picture.
    await page.setViewportSize({ width, height: Math.min(height, MOST_PX) });
    await page.evaluate(() => scrollTo(0, 0));
    return await page.screenshot();
  } finally {
    await context.close();
  }
}

/** A narrow picture is long, so it goes on in a second column. */
async function sideBySide(browser: Browser, name: string, [wide, narrow]: [Buffer, Buffer]): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 2100, height: 1000 } });
  const page = await context.newPage();
  const source = (picture: Buffer) => `data:image/png;base64,${picture.toString("base64")}`;
  await page.setContent(
    `<style>body{margin:0;display:flex;gap:12px;background:#808080;width:max-content;align-items:start}
     div{width:390px;background-size:390px auto;background-repeat:no-repeat}</style>
     <img src="${source(wide)}"><img id="narrow" src="${source(narrow)}">`,
  );
  const height = await page.evaluate(async () => {
    await Promise.all([...document.images].map((image) => image.decode()));
    const image = document.querySelector<HTMLImageElement>("#narrow");
    if (!image) return 1000;
    const columns = image.height > 1500 ? 2 : 1;
    for (let n = 0; n < columns; n++) {
      const part = document.createElement("div");
      const height = Math.ceil(image.height / columns);
      part.style.height = `${height}px`;
      part.style.backgroundImage = `url(${image.src})`;
      part.style.backgroundPosition = `0 ${-n * height}px`;
      document.querySelector("body")?.appendChild(part);
    }
    image.remove();
    return document.documentElement.scrollHeight;
  });
  await page.setViewportSize({ width: 2100, height });
  await page.locator("body").screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}

async function logIn({ email, password }: Login): Promise<APIRequestContext> {
  const context = await request.newContext({ baseURL: demo.url, extraHTTPHeaders: { Origin: demo.url } });
  await context.post("/auth/login", { form: { email, password } });
  return context;
}
