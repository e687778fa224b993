import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page, request } from "@playwright/test";
import { chromiumPath } from "#tools/run/chromium.ts";
import { CommandError, readArguments } from "#tools/run/command-line.ts";
import { type ChatState, STATES } from "./chat-states.ts";
import { runningCopy } from "./running-copy.ts";

/**
 * `npm run screenshots:chat [-- name …]`: brings the chat and its console of the running copy (STATE_DIR, as for
 * `npm start`) into each state of chat-states.ts, or into those whose names contain an argument. Writes one picture per
 * state to screenshots/chat/: 390 and 1280 px wide, each in both themes.
 */

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "screenshots", "chat");
const PHONE = { width: 390, height: 800 };
const DESKTOP = { width: 1280, height: 800 };
const VARIANTS = [PHONE, DESKTOP].flatMap((viewport) => ["dark", "light"].map((theme) => ({ viewport, theme })));
/** Position of the width in a PNG file. */
const PNG_WIDTH_AT = 16;
/** Part of a desktop page: the visitor's panel with its margin. */
const PANEL_CORNER = { x: DESKTOP.width - 450, y: 0, width: 450, height: DESKTOP.height };

const USAGE = `npm run screenshots:chat [-- name …]

Draws each state of the support chat and its console, or those whose names contain an argument, on the running copy
(STATE_DIR).`;
const { positionals: wanted } = readArguments({ usage: USAGE, options: {}, max: Number.POSITIVE_INFINITY });
const states = STATES.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (states.length === 0) throw new CommandError(`No state's name contains ${wanted.join(" or ")}.`);

const demo = await runningCopy();
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ["--no-sandbox", "--disable-gpu"],
});
const cookies = {
  visitor: [],
  customer: await signIn(demo.customer),
  agent: await signIn(demo.agent),
  admin: await signIn(demo.admin),
};
const agent = await callAs(demo.agent);
const admin = await callAs(demo.admin);

let failed = 0;
for (const state of states) await draw(state);
await browser.close();
console.log(`${states.length - failed} of ${states.length} states in ${folder}`);
process.exitCode = failed > 0 ? 1 : 0;

async function draw(state: ChatState): Promise<void> {
  try {
    const pictures: Buffer[] = [];
    for (const variant of VARIANTS) pictures.push(await take(state, variant));
    await join4(state.name, pictures);
  } catch (error) {
    failed += 1;
    console.error(`${state.name}: ${error}`);
  }
}

async function take(
  { who, isPage, reach }: ChatState,
  { viewport, theme }: (typeof VARIANTS)[number],
): Promise<Buffer> {
  const opened: BrowserContext[] = [];
  try {
    const page = await openPage(opened, who, viewport);
    await page.addInitScript((chosen) => {
      try {
        localStorage.setItem("theme", chosen);
      } catch {
        // The state forbids storage.
      }
    }, theme);
    await page.emulateMedia({ colorScheme: theme === "dark" ? "dark" : "light" });
    await reach(page, {
      demo,
      agent,
      admin,
      openConsole: async (path, as = "agent") => {
        const other = await openPage(opened, as, DESKTOP);
        await other.goto(path);
        return other;
      },
    });
    await page.evaluate(() => document.fonts.ready);
    // Toasts and images come in by themselves, and nothing tells when they have.
    await page.waitForTimeout(700);
    const isPanel = !isPage && who !== "agent" && who !== "admin" && viewport === DESKTOP;
    return await page.screenshot(isPanel ? { clip: PANEL_CORNER } : {});
  } finally {
    await Promise.all(opened.map((context) => context.close()));
  }
}

async function openPage(
  opened: BrowserContext[],
  who: ChatState["who"],
  viewport: { width: number; height: number },
): Promise<Page> {
  // An animation could be captured halfway.
  const context = await browser.newContext({ viewport, baseURL: demo.url, reducedMotion: "reduce", locale: "en-US" });
  opened.push(context);
  context.setDefaultTimeout(30_000);
  await context.addCookies(cookies[who]);
  return context.newPage();
}

/** Puts a state's pictures side by side, the narrow ones first. */
async function join4(name: string, pictures: Buffer[]): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1700, height: 1140 } });
  const page = await context.newPage();
  const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture.toString("base64")}">`);
  const [one, two, three, four] = images;
  const isPage = pictures[2] !== undefined && pictures[2].readUInt32BE(PNG_WIDTH_AT) > PANEL_CORNER.width;
  await page.setContent(
    `<style>body{margin:0;display:flex;gap:8px;background:#808080;width:max-content}div{display:flex;gap:8px}
     img{display:block;height:800px} .page{flex-direction:column} .page img{height:auto;width:900px}</style>
     ${one}${two}<div class="${isPage ? "page" : ""}">${three}${four}</div>`,
  );
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  await page.locator("body").screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}

async function callAs({ email, password }: { email: string; password: string }) {
  const context = await request.newContext({ baseURL: demo.url, extraHTTPHeaders: { Origin: demo.url } });
  await context.post("/auth/login", { form: { email, password } });
  return context;
}

async function signIn(login: { email: string; password: string }) {
  const context = await browser.newContext({ baseURL: demo.url });
  await context.request.post("/auth/login", { form: login, headers: { Origin: demo.url } });
  const kept = await context.cookies();
  await context.close();
  return kept;
}
