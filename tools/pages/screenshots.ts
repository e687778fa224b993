import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { fillDemo } from "#tools/demo/fill-demo.ts";
import { chromiumPath } from "#tools/run/chromium.ts";
import { readArguments, UsageError } from "#tools/run/command-line.ts";
import { listPages } from "./page-list.ts";
import { runningCopy } from "./running-copy.ts";

/**
 * `npm run screenshots [-- /path …]`: takes screenshots of the running copy (STATE_DIR, as for `npm start`) in both themes
 * and two widths, and writes them to screenshots/. Without a path, fills the copy with demo data and takes every page of
 * `app/routes.ts`. Each page is opened by its audience: a visitor, the demo customer, the agent or the admin.
 * `WIDTHS=360,1920` sets the widths.
 */

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "screenshots");
const USAGE = `npm run screenshots [-- /path …]

Takes screenshots of every page of the running copy (STATE_DIR), or of these, in both themes. WIDTHS=360,1920 sets the
widths.`;
const { positionals: paths } = readArguments({ usage: USAGE, options: {}, max: Number.POSITIVE_INFINITY });
const WIDTHS = (process.env.WIDTHS || "390,1280").split(",").map(Number);
if (!WIDTHS.every((width: number) => Number.isInteger(width) && width > 0)) {
  throw new UsageError(`WIDTHS takes numbers of pixels, for example 390,1280, not "${process.env.WIDTHS}".`);
}
const wrong = paths.find((path) => !path.startsWith("/"));
if (wrong) throw new UsageError(`A path starts with "/", unlike "${wrong}".`);
const THEMES = ["dark", "light"];

const demo = await runningCopy();
mkdirSync(folder, { recursive: true });
const executablePath = chromiumPath();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const cookies = {
  visitor: [],
  customer: await signIn(demo.customer),
  agent: await signIn(demo.agent),
  admin: await signIn(demo.admin),
};

/** States of a page that have no URL. */
const STATES: { name: string; path: string; who: keyof typeof cookies; reach: (page: Page) => Promise<unknown> }[] = [
  {
    name: "offline",
    path: "/",
    who: "visitor",
    reach: (page) => page.evaluate(() => window.dispatchEvent(new Event("offline"))),
  },
  { name: "onboarding-end", path: "/onboarding", who: "visitor", reach: (page) => page.keyboard.press("End") },
  { name: "account-delete-visitor", path: "/account/delete", who: "visitor", reach: async () => {} },
  {
    name: "chat-start",
    path: "/",
    who: "visitor",
    reach: (page) => page.getByRole("button", { name: "Open support chat" }).click(),
  },
  { name: "chat-conversation", path: "/", who: "visitor", reach: talk },
  { name: "gmail-connected", path: "/gmail-sync", who: "customer", reach: connectGmail },
];

const pages = paths.length > 0 ? paths.map((path) => ({ path, who: roleOf(path) })) : listPages(await fillDemo(demo));
for (const { path, who } of pages) {
  await picture(path === "/" ? "home" : path.slice(1).replaceAll(/[^\w.-]+/g, "-"), path, who);
}
const states = paths.length > 0 ? [] : STATES;
for (const { name, path, who, reach } of states) await picture(name, path, who, reach);
await browser.close();
console.log(`${(pages.length + states.length) * WIDTHS.length * THEMES.length} pictures in ${folder}`);

async function picture(
  name: string,
  path: string,
  who: keyof typeof cookies,
  reach?: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      // An animation could be captured halfway.
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        baseURL: demo.url,
        reducedMotion: "reduce",
      });
      await context.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
      await context.addCookies(cookies[who]);
      const page = await context.newPage();
      await page.goto(path, { waitUntil: "networkidle" });
      if (reach) {
        await reach(page);
        await page.waitForLoadState("networkidle");
        await page.waitForTimeout(500);
      }
      await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: !reach });
      await context.close();
    }
  }
}

function roleOf(path: string): keyof typeof cookies {
  if (path.startsWith("/admin/") && !path.startsWith("/admin/support/")) return "admin";
  if (path.startsWith("/admin")) return "agent";
  return /^\/(dashboard|account)/.test(path) ? "customer" : "visitor";
}

async function talk(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Open support chat" }).click();
  await page.getByLabel("Your name").fill("Ola");
  await page.getByRole("button", { name: "Start Chat" }).click();
  await page.getByPlaceholder("Type your message...").fill("Where is my order? It was placed this morning.");
  await page.keyboard.press("Enter");
  await page.getByText("Sent").waitFor();
}

async function connectGmail(page: Page): Promise<void> {
  const begin = page.getByRole("button", { name: "Connect Gmail Account" });
  if (!(await page.getByText("Gmail account is connected").isVisible())) {
    const [google] = await Promise.all([page.waitForEvent("popup"), begin.click()]);
    await google.getByRole("button", { name: "demo@" }).click();
    await google.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Start Initial Sync" }).click();
  }
  await page.getByText("Total Messages").waitFor();
}

async function signIn({ email, password }: { email: string; password: string }) {
  const context = await browser.newContext({ baseURL: demo.url });
  await context.request.post("/auth/login", { form: { email, password }, headers: { Origin: demo.url } });
  const kept = await context.cookies();
  await context.close();
  return kept;
}
