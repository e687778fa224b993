import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import { openCopyDatabase, openMainDatabase } from "#tests/product/copy-database.ts";
import { freePort, type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { fillConsole } from "#tools/demo/fill-demo.ts";
import { consolePatterns } from "#tools/pages/page-list.ts";
import { chromiumPath } from "#tools/run/chromium.ts";
import { readArguments, wholeNumber } from "#tools/run/command-line.ts";
import { type SandboxProvider, startSandboxProvider } from "#tools/stand-ins/sandbox-provider.ts";
import { consolePaths } from "./console-paths.ts";
import { type FilledShop, fillShop, ordersFile, SHOP_SIZE } from "./fill-shop.ts";
import { playScene, type SceneResult } from "./operator-hand.ts";
import { type PlayedShop, SCENES } from "./operator-scenes.ts";
import { measurePages, type PageTime } from "./page-times.ts";

const USAGE = `npm run operator:day [-- --orders N] [--only pages|scenes] [--out FILE] [--keep DIR]

Fills private copies of the product with half of the orders and with all of them, measures each page of the console in both,
and plays an operator's day in Chromium at 1280 px. Prints what it took as Markdown. Exits with 1 if a scene can't be played
or a page is slower than 200 ms. With --keep, filled copies are kept in DIR, and begun with again the next time.`;

/** The slowest twentieth of the requests of a page may take so long. */
const GOAL_MS = 200;
/** State of a kept copy's providers, with which they go on. */
const FILLED_FILE = "shop.json";
const NAMES = ["Northwind", "Southgate", "Westbrook"];

const { values: options } = readArguments({
  usage: USAGE,
  options: {
    orders: { type: "string", default: String(SHOP_SIZE.orders) },
    only: { type: "string", default: "" },
    out: { type: "string", default: "" },
    keep: { type: "string", default: "" },
  },
});
const orders = wholeNumber("--orders", options.orders, 4000);
const browser = await chromium.launch({
  ...(chromiumPath() && { executablePath: chromiumPath() as string }),
  args: ["--no-sandbox", "--disable-gpu"],
});

try {
  const half =
    options.only === "scenes" ? null : await withShop(orders / 2, ({ copy, filled }) => pageTimes(copy, filled));
  const [times, scenes] = await withShop(orders, async (shop) => [
    options.only === "scenes" ? null : await pageTimes(shop.copy, shop.filled),
    options.only === "pages" ? [] : await playDay(browser, shop),
  ]);
  const report = [...sceneLines(scenes), ...(times && half ? pageLines(half, times) : [])].join("\n");
  console.log(report);
  if (options.out) await writeFile(resolve(process.env.INIT_CWD ?? ".", options.out), `${report}\n`);
  const isSlow = times?.some(({ p95, status }) => p95 > GOAL_MS || status >= 400) ?? false;
  process.exitCode = isSlow || scenes.some(({ fault }) => fault !== null) ? 1 : 0;
} finally {
  await browser.close();
}

type Stocked = { filled: FilledShop; ports: number[]; keys: string[] };
type Shop = { copy: LocalCopy; filled: FilledShop; standIns: SandboxProvider[]; keys: string[] };

/** Runs a filled copy with its three providers, and removes it afterwards. */
async function withShop<Result>(count: number, use: (shop: Shop) => Promise<Result>): Promise<Result> {
  const kept = options.keep ? resolve(process.env.INIT_CWD ?? ".", options.keep, `shop-${count}`) : null;
  const isFilled = kept !== null && existsSync(join(kept, FILLED_FILE));
  const copy = await startLocalCopy({}, isFilled ? kept : null);
  const standIns: SandboxProvider[] = [];
  try {
    await copy.stop();
    const { filled, ports, keys } = isFilled
      ? (JSON.parse(readFileSync(join(kept, FILLED_FILE), "utf8")) as Stocked)
      : await stock(copy, count, kept);
    for (const [n, key] of keys.entries()) {
      const file = ordersFile(copy.stateDir, n);
      standIns.push(await startSandboxProvider({ key, file, port: ports[n] ?? 0, services: filled.offers[n] ?? [] }));
    }
    await copy.start();
    return await use({ copy, filled, standIns, keys });
  } finally {
    for (const one of standIns) await one.close().catch(() => {});
    await copy.remove();
  }
}

/** Fills a stopped copy, and keeps it in a folder if there is one. */
async function stock(copy: LocalCopy, count: number, kept: string | null): Promise<Stocked> {
  const keys = NAMES.map(() => randomBytes(8).toString("hex"));
  const ports = await Promise.all(NAMES.map(() => freePort()));
  const providers = NAMES.map((name, n) => ({ name, url: `http://127.0.0.1:${ports[n]}`, key: keys[n] ?? "" }));
  const filled = await fillShop(copy.stateDir, providers, { size: { ...SHOP_SIZE, orders: count } });
  if (kept !== null) {
    await cp(copy.stateDir, kept, { recursive: true });
    writeFileSync(join(kept, FILLED_FILE), JSON.stringify({ filled, ports, keys }));
  }
  return { filled, ports, keys };
}

async function playDay(browser: Browser, { copy, filled, standIns }: Shop): Promise<SceneResult[]> {
  const context = await browser.newContext({ baseURL: copy.url, viewport: { width: 1280, height: 800 } });
  await logIn(copy, async (form) => {
    await context.request.post("/auth/login", { form, headers: { Origin: copy.url } });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const shop: PlayedShop = { ...filled, standIns, names: NAMES, order: await orderer(copy, filled) };
  const results: SceneResult[] = [];
  for (const [name, scene] of Object.entries(SCENES)) {
    const result = await playScene(page, name, (hand) => scene(hand, shop));
    console.error(`${result.fault === null ? "played" : "FAILED"} ${name}${result.fault ? `: ${result.fault}` : ""}`);
    results.push(result);
  }
  await context.close();
  return results;
}

/** Returns a function that places an order of a service of a provider, as customers do. */
async function orderer(copy: LocalCopy, { providerIds }: FilledShop): Promise<(provider: number) => Promise<void>> {
  const database = openMainDatabase(copy.stateDir);
  const services = providerIds.map((id) =>
    Number(database.prepare("select id from services where provider_id = ? and enabled = 1 limit 1").get(id)?.id),
  );
  database.close();
  let placed = 0;
  return async (provider) => {
    placed += 1;
    const fields = {
      key: copy.demo.customer.apiKey,
      action: "add",
      service: String(services[provider]),
      quantity: "100",
    };
    const body = new URLSearchParams({ ...fields, link: `https://instagram.com/p/noon-${placed}` });
    const response = await fetch(`${copy.url}/api/v2`, { method: "POST", body });
    const answer = (await response.json()) as { order?: number; error?: string };
    if (answer.order === undefined) throw new Error(`order refused: ${answer.error}`);
  };
}

async function logIn(copy: LocalCopy, post: (form: { email: string; password: string }) => Promise<void>) {
  await post({ email: copy.demo.admin.email, password: copy.demo.admin.password });
}

async function pageTimes(copy: LocalCopy, { providerIds, disputedPayment }: FilledShop): Promise<PageTime[]> {
  const response = await fetch(`${copy.url}/auth/login`, {
    method: "POST",
    body: new URLSearchParams({ email: copy.demo.admin.email, password: copy.demo.admin.password }),
    headers: { Origin: copy.url },
    redirect: "manual",
  });
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  await fillConsole(copy.demo);
  const pages = await pathsOf(copy);
  const main = openCopyDatabase(copy.stateDir, "DB");
  const one = (statement: string) => Object.values(main.prepare(statement).get() ?? {})[0];
  const held = one("select max(id) from orders where fulfillment = 'held'");
  const [order, service] = ["id", "service_id"].map((column) =>
    one(`select ${column} from orders where status = 'Completed' order by id desc limit 1`),
  );
  main.close();
  return measurePages(copy, cookie, [
    ...pages,
    "/admin/orders?state=held",
    "/admin/orders?late=1",
    "/admin/orders?still=1",
    "/admin/orders?source=api",
    "/admin/orders?held=cut_off",
    "/admin/orders?q=okafor",
    `/admin/orders?q=${order}`,
    `/admin/orders?service=${service}`,
    `/admin/orders?provider=${providerIds[0]}`,
    `/admin/orders/${held}`,
    "/admin/services?sort=-margin",
    "/admin/customers?q=okafor",
    `/admin/payments/${disputedPayment}`,
    "/admin/reports?by=service",
    "/admin/reports?by=provider",
    "/admin/reports?by=customer",
    "/admin/reports?by=service&sort=-change",
    `/admin/audit?about=service&of=${service}`,
  ]);
}

/** Returns an address of each page of the console. */
async function pathsOf({ stateDir }: LocalCopy): Promise<string[]> {
  const databases = { DB: openCopyDatabase(stateDir, "DB"), DB_SUPPORT: openCopyDatabase(stateDir, "DB_SUPPORT") };
  const paths = await consolePaths(
    consolePatterns(),
    async (statement, name) => Object.values(databases[name].prepare(statement).get() ?? {})[0],
  );
  for (const database of Object.values(databases)) database.close();
  return [...paths.values()];
}

function sceneLines(scenes: SceneResult[]): string[] {
  if (scenes.length === 0) return [];
  const rows = scenes.map(
    ({ name, actions, seconds, notes, fault }) =>
      `| ${name} | ${actions} | ${seconds.toFixed(1)} | ${fault === null ? notes.join("; ") : `**can't be played**: ${fault}`} |`,
  );
  return ["| scene | actions | seconds | note |", "| --- | ---: | ---: | --- |", ...rows, ""];
}

function pageLines(half: PageTime[], all: PageTime[]): string[] {
  const rows = all.map((page) => {
    const before = half.find((one) => patternOf(one.path) === patternOf(page.path));
    const shown = page.status === 200 ? page.path : `${page.path} (HTTP ${page.status})`;
    const times = `${page.p50} | ${page.p95}${page.p95 > GOAL_MS ? " **slow**" : ""} | ${page.plain} | ${page.processor}`;
    const cost = `${page.kilobytes} | ${page.statements} | ${page.trips} | ${before?.rowsRead ?? "–"} | ${page.rowsRead}`;
    return `| \`${shown}\` | ${times} | ${cost} |`;
  });
  const head = [
    "page | p50 ms | p95 ms | p95 ms of a plain page in turn | processor ms | kB | statements | trips",
    `rows read, ${orders / 2} orders | rows read, ${orders} orders`,
  ];
  return [`| ${head.join(" | ")} |`, `| ---${" | ---:".repeat(9)} |`, ...rows];
}

/** Makes pages of both copies the same one, whose ids differ. */
function patternOf(path: string): string {
  return path.replace(/shop-(customer|payment)-\d+|(?<=[/=])\d+(?=$|&)/g, ":id");
}
