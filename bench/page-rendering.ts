import { Agent, request } from "node:http";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { services } from "#app/db/schema.server.ts";
import { BENCH_ACCOUNT, startBenchWorker } from "./bench-worker.ts";
import { type Figure, median, reportFigures } from "./figures.ts";

/**
 * `npm run bench:pages`, or `npm run bench -- pages`: compares the rate of pages with a bare Remix route with one D1 read, in
 * the same workerd and in turns. "rendered afresh" is an address that no cache keeps.
 */

const CONNECTIONS = 8;
/** Short turns and many of them, so that a burst of other load falls on both sides. */
const SECONDS = 0.5;
const ROUNDS = 15;
const CATALOG = 2000;
/** What visitors get. The others are rendered for each request. */
const KEPT_PAGES = ["/", "/privacy-policy", "/services"];

const worker = await startBenchWorker({ entry: "bench/page-rendering-worker.ts" });
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

try {
  const db = connect(await worker.database());
  const created = await createAccount(db, BENCH_ACCOUNT);
  if (!created.ok) throw new Error(created.reason);
  for (let at = 0; at < CATALOG; at += 5) {
    const rows = Array.from({ length: Math.min(5, CATALOG - at) }, (_, n) => ({
      network: `Network ${(at + n) % 12}`,
      category: `Category ${(at + n) % 40}`,
      name: `Service ${at + n}, with a name as long as names are in this field`,
      rate: 900_000,
      min: 10,
      max: 100_000,
    }));
    await db.insert(services).values(rows);
  }
  const cookie = await signIn();
  let n = 0;
  const pages: Record<string, () => Promise<number>> = {
    "constant response": () => open("/bench/constant"),
    "/": () => open("/"),
    "/privacy-policy": () => open("/privacy-policy"),
    "/services": () => open("/services"),
    "/, rendered afresh": () => open(`/?fresh=${n++}`),
    "/privacy-policy, rendered afresh": () => open(`/privacy-policy?fresh=${n++}`),
    "/services, rendered afresh": () => open(`/services?fresh=${n++}`),
    "/dashboard": () => open("/dashboard", { Cookie: cookie }),
  };
  const figures: Figure[] = [];
  for (const [name, page] of Object.entries(pages)) {
    const goal = KEPT_PAGES.includes(name) ? { goal: { atLeast: 0.8 } } : {};
    figures.push({ name: `${name}, to a bare route`, ...(await compare(() => open("/bench/bare"), page)), ...goal });
  }
  reportFigures(figures);
} finally {
  agent.destroy();
  await worker.close();
}

/** Measures in turns, so that other load affects both sides. The baseline follows from the median of the rounds' ratios. */
async function compare(baseline: () => Promise<number>, measured: () => Promise<number>) {
  const rates: number[] = [];
  const ratios: number[] = [];
  await throughput(measured);
  for (let round = 0; round < ROUNDS; round++) {
    const before = await throughput(baseline);
    const rate = await throughput(measured);
    rates.push(rate);
    ratios.push(rate / ((before + (await throughput(baseline))) / 2));
  }
  const value = median(rates);
  return { value, unit: "/s" as const, baseline: value / median(ratios) };
}

/** Responses per second. */
async function throughput(one: () => Promise<number>): Promise<number> {
  const started = performance.now();
  const until = started + SECONDS * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) {
        const status = await one();
        if (status !== 200) throw new Error(`HTTP ${status}`);
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - started);
}

function open(path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const out = request(worker.url + path, { agent, headers: { Accept: "text/html", ...headers } }, (response) => {
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    out.on("error", reject);
    out.end();
  });
}

async function signIn(): Promise<string> {
  const { email, password } = BENCH_ACCOUNT;
  const response = await fetch(`${worker.url}/auth/login`, {
    method: "POST",
    body: new URLSearchParams({ email, password }),
    headers: { Origin: worker.url },
    redirect: "manual",
  });
  return response.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}
