import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "@playwright/test";
import type { Demo } from "./seed.ts";

/**
 * `npm run screenshots [-- /path …]`: pictures of the running copy (STATE_DIR, as for `npm start`) in both themes and
 * two widths, below screenshots/. Pages under /dashboard, /account and /upload are seen as the demo customer, those under /admin as the agent.
 */

const root = join(import.meta.dirname, "..");
const folder = join(root, "screenshots");
const paths = process.argv.slice(2);
const PAGES =
  paths.length > 0
    ? paths
    : [
        "/",
        "/auth",
        "/auth/start",
        "/auth/login",
        "/auth/signup",
        "/reset-password",
        "/dashboard",
        "/dashboard/orders",
        "/dashboard/orders/mass",
        "/dashboard/transactions",
        "/dashboard/api",
        "/dashboard/account",
        "/upload",
        "/account/delete",
        "/privacy-policy",
        "/admin",
        "/debug/env",
        "/debug/mail",
        "/nowhere",
      ];
const WIDTHS = [390, 1280];
const THEMES = ["dark", "light"];

const demo = JSON.parse(readFileSync(resolve(root, process.env.STATE_DIR ?? ".local", "demo.json"), "utf8")) as Demo;
mkdirSync(folder, { recursive: true });
const executablePath = existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : undefined;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for (const path of PAGES) {
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, baseURL: demo.url });
      await context.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
      const page = await context.newPage();
      const who = /^\/(dashboard|account|upload)/.test(path)
        ? demo.customer
        : path.startsWith("/admin")
          ? demo.agent
          : null;
      if (who) {
        await page.request.post("/auth/login", {
          form: { email: who.email, password: who.password },
          headers: { Origin: demo.url },
        });
      }
      await page.goto(path, { waitUntil: "networkidle" });
      const name = path === "/" ? "home" : path.slice(1).replaceAll("/", "-");
      await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
      await context.close();
    }
  }
}
await browser.close();
console.log(`${PAGES.length * WIDTHS.length * THEMES.length} pictures in ${folder}`);
