import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { listPages } from "./page-list.ts";
import type { Demo } from "./seed.ts";

/**
 * `npm run screenshots [-- /path …]`: pictures of the running copy (STATE_DIR, as for `npm start`) in both themes and
 * two widths, below screenshots/. Without a path: of every page of `app/routes.ts`. Each is seen by whom it is for: a
 * visitor, the demo customer or the agent. `WIDTHS=360,1920` takes others.
 */

const root = join(import.meta.dirname, "..");
const folder = join(root, "screenshots");
const paths: string[] = process.argv.slice(2);
const WIDTHS = (process.env.WIDTHS ?? "390,1280").split(",").map(Number);
const THEMES = ["dark", "light"];

const demo = JSON.parse(readFileSync(resolve(root, process.env.STATE_DIR ?? ".local", "demo.json"), "utf8")) as Demo;
mkdirSync(folder, { recursive: true });
const executablePath = existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : undefined;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const cookies = {
  visitor: await startChat(),
  customer: await signIn(demo.customer),
  agent: await signIn(demo.agent),
  admin: await signIn(demo.admin),
};

/** What is not a page but a state of one. */
const STATES: Record<string, { path: string; reach: (page: Page) => Promise<unknown> }> = {
  offline: { path: "/", reach: (page) => page.evaluate(() => window.dispatchEvent(new Event("offline"))) },
  "onboarding-end": { path: "/onboarding", reach: (page) => page.keyboard.press("End") },
  "account-delete-visitor": { path: "/account/delete", reach: async () => {} },
  "chat-start": { path: "/", reach: (page) => page.getByRole("button", { name: "Open support chat" }).click() },
};

const pages = listPages({
  "/admin/support/:id :id": await chatId(),
  "/admin/customers/:id :id": await firstId("/admin/customers", cookies.admin),
  "/admin/codes/:id :id": await firstId("/admin/codes", cookies.admin),
  "/admin/payments/:id :id": await firstId("/admin/payments", cookies.admin),
  "/dashboard/transactions/:id :id": await firstId("/dashboard/transactions", cookies.customer),
  // Every copy has made one once it was used; the page of what is not there otherwise.
  "/dashboard/orders/mass/:id :id": "1",
});
const shown =
  paths.length > 0 ? paths.map((path) => ({ path, who: pages.find((it) => it.path === path)?.who })) : pages;
for (const { path, who = roleOf(path) } of shown) {
  await picture(path === "/" ? "home" : path.slice(1).replaceAll(/[^\w.-]+/g, "-"), path, who);
}
const states = paths.length > 0 ? [] : Object.entries(STATES);
for (const [name, { path, reach }] of states) await picture(name, path, "visitor", reach);
await browser.close();
console.log(`${(shown.length + states.length) * WIDTHS.length * THEMES.length} pictures in ${folder}`);

async function picture(
  name: string,
  path: string,
  who: keyof typeof cookies,
  reach?: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      // With motion, a picture may show half of it.
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        baseURL: demo.url,
        reducedMotion: "reduce",
      });
      await context.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
      if (who !== "visitor") await context.addCookies(cookies[who]);
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

async function signIn({ email, password }: { email: string; password: string }) {
  const context = await browser.newContext({ baseURL: demo.url });
  await context.request.post("/auth/login", { form: { email, password }, headers: { Origin: demo.url } });
  const kept = await context.cookies();
  await context.close();
  return kept;
}

async function startChat() {
  const context = await browser.newContext({ baseURL: demo.url });
  await context.request.post("/support/session", { data: { name: "Ola" }, headers: { Origin: demo.url } });
  const kept = await context.cookies();
  await context.close();
  return kept;
}

/** Of the first entry of a list; an empty list's page is the one of what is not there. */
async function firstId(list: string, who: Parameters<BrowserContext["addCookies"]>[0]): Promise<string> {
  const context = await browser.newContext({ baseURL: demo.url });
  await context.addCookies(who);
  const html = await (await context.request.get(list)).text();
  await context.close();
  return new RegExp(`href="${list}/([^"/?#]+)"`).exec(html)?.[1] ?? "none";
}

/** The conversation that the visitor has just started. */
async function chatId(): Promise<string> {
  const context = await browser.newContext({ baseURL: demo.url });
  await context.addCookies(cookies.visitor);
  const answer = await context.request.get("/support/session");
  const { session } = (await answer.json()) as { session: { session_id: string } };
  await context.close();
  return session.session_id;
}
