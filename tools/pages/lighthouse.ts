import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { ownValue } from "#app/own-value.ts";
import { PUBLIC_PAGES } from "#app/public-pages.ts";
import { openMainDatabase } from "#tests/product/copy-database.ts";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { chromiumPath } from "#tools/run/chromium.ts";
import { readArguments, wholeNumber } from "#tools/run/command-line.ts";

/**
 * `npm run lighthouse [-- --services 5000 /path …]`: runs Lighthouse with its simulated mobile profile on the production build in a
 * private copy. Cloudflare's edge compresses responses but local workerd doesn't, so a small proxy does it at the edge's
 * brotli quality. Prints the median of RUNS for performance, the worst for the rest, and the JavaScript that each page
 * loaded. Fails if a goal is missed.
 */

/** Installed when it runs: with what it needs, it would be a sixth of the files that everybody installs. */
const LIGHTHOUSE = "lighthouse@13.5.0";
const PAGES = PUBLIC_PAGES.map(({ path }) => path);
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
const RUNS = 5;
const GOAL = 97;
/** The same as tests/structure/page-weight.test.ts allows. */
const JS_GOAL_BYTES = 105_000;
/** The brotli quality Cloudflare uses for responses. */
const EDGE_BROTLI_QUALITY = 4;
const COMPRESSIBLE = /^(text\/|application\/(javascript|json|manifest\+json|xml)|image\/svg)/;

/** The parts of Lighthouse's JSON that are read. Times are milliseconds, scores 0 to 1. */
type Audited = {
  audits: Record<string, Audit>;
  categories: Record<string, { id: string; score: number | null; auditRefs: { id: string; weight: number }[] }>;
};
type Audit = {
  title: string;
  score: number | null;
  displayValue?: string;
  numericValue?: number;
  scoreDisplayMode?: string;
  details?: unknown;
};
type Measured = {
  scores: Record<string, number>;
  cls: number;
  lcpMs: number;
  tbtMs: number;
  scripts: string[];
  lost: string[];
};

const USAGE = `npm run lighthouse [-- [--services 5000] /path …]

Runs Lighthouse on the public pages of the production build, or on these, and prints the JavaScript that each loads.
--services adds services to those of the demo until there are so many.`;
const { positionals, values } = readArguments({
  usage: USAGE,
  options: { services: { type: "string" } },
  max: Number.POSITIVE_INFINITY,
});
const paths = positionals.length > 0 ? positionals : PAGES;
const copy = await startLocalCopy();
if (values.services) await addServices(copy, wholeNumber("--services", values.services, 1));
const proxy = await compressingProxy(copy.url);
const origin = `http://localhost:${(proxy.address() as AddressInfo).port}`;
let missed = 0;
try {
  for (const path of paths) missed += await report(path);
} finally {
  proxy.close();
  await copy.remove();
}
process.exitCode = missed === 0 ? 0 : 1;

/** Adds services until `total` are on sale. They repeat the demo's without its providers, so that names are as usual. */
async function addServices(to: LocalCopy, total: number): Promise<void> {
  await to.stop();
  const database = openMainDatabase(to.stateDir);
  const columns = database
    .prepare("select name from pragma_table_info('services') where name <> 'id' and name not like 'provider%'")
    .all()
    .map(({ name }) => String(name));
  const copied = columns.map((name) => (name === "name" ? "name || ', ' || ?" : `"${name}"`));
  const add = database.prepare(
    `insert into services (${columns.map((name) => `"${name}"`).join(", ")})
     select ${copied.join(", ")} from services where enabled = 1 order by id limit ?`,
  );
  const count = database.prepare("select count(*) as count from services where enabled = 1");
  for (let round = 1; ; round++) {
    const missing = total - Number(count.get()?.count);
    if (missing <= 0) break;
    add.run(round, missing);
  }
  database.close();
  await to.start();
}

/** Returns how many goals the page missed. */
async function report(path: string): Promise<number> {
  const { status } = await fetch(origin + path, { redirect: "manual" });
  if (status === 404) {
    console.log(`${path}: page not found, skipped`);
    return 0;
  }
  const runs: Measured[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure(origin + path));
  const scores = CATEGORIES.map((category) => {
    const values = runs.map((run) => ownValue(run.scores, category) ?? 0).sort((one, other) => one - other);
    return { category, score: (category === "performance" ? values[Math.floor(RUNS / 2)] : values[0]) ?? 0 };
  });
  const cls = Math.max(...runs.map((run) => run.cls));
  const js = await gzipped(new Set(runs.flatMap((run) => run.scripts)));
  const middle = runs.map((run) => run.lcpMs).sort((one, other) => one - other)[Math.floor(RUNS / 2)] ?? 0;
  console.log(
    `${path.padEnd(18)} ${scores.map(({ category, score }) => `${category} ${score}`).join("  ")}  CLS ${cls}  LCP ${Math.round(middle)} ms  TBT ${Math.round(Math.max(...runs.map((run) => run.tbtMs)))} ms  JS ${(js / 1000).toFixed(1)} kB gzip`,
  );
  for (const lost of new Set(runs.flatMap((run) => run.lost))) console.log(`  ${lost}`);
  const faults = [scores.some(({ score }) => score < GOAL), cls > 0, path === "/" && js > JS_GOAL_BYTES];
  return faults.filter(Boolean).length;
}

async function measure(url: string): Promise<Measured> {
  const port = await freePort();
  const browser = await chromium.launch({
    executablePath: existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : chromiumPath(),
    args: ["--no-sandbox", `--remote-debugging-port=${port}`],
  });
  try {
    const { audits, categories } = await audit(url, port);
    const requests = (
      audits["network-requests"]?.details as { items?: { url: string; resourceType?: string }[] } | undefined
    )?.items;
    const lost = Object.values(categories).flatMap(({ id, auditRefs }) =>
      auditRefs
        .filter((ref) => ref.weight > 0 && (ownValue(audits, ref.id)?.score ?? 1) < 1)
        .map(
          (ref) =>
            `${id}: ${ownValue(audits, ref.id)?.title} ${ownValue(audits, ref.id)?.displayValue ?? ""} ${detailsOf(ownValue(audits, ref.id))}`,
        ),
    );
    return {
      scores: Object.fromEntries(
        Object.values(categories).map(({ id, score }) => [id, Math.round((score ?? 0) * 100)]),
      ),
      cls: audits["cumulative-layout-shift"]?.numericValue ?? 0,
      lcpMs: audits["largest-contentful-paint"]?.numericValue ?? 0,
      tbtMs: audits["total-blocking-time"]?.numericValue ?? 0,
      scripts: (requests ?? []).filter(({ resourceType }) => resourceType === "Script").map((request) => request.url),
      lost,
    };
  } finally {
    await browser.close();
  }
}

/** Has Lighthouse audit a page in the browser that listens on `port`. */
async function audit(url: string, port: number): Promise<Audited> {
  const options = [`--port=${port}`, `--only-categories=${CATEGORIES.join(",")}`, "--output=json", "--quiet"];
  const run = ["exec", "--yes", `--package=${LIGHTHOUSE}`, "--", "lighthouse", url, ...options];
  const env = { ...process.env, CI: "1" };
  const { stdout } = await promisify(execFile)("npm", run, { maxBuffer: 64 * 1024 * 1024, env });
  return JSON.parse(stdout) as Audited;
}

/** Summarizes a failed audit in one line. */
function detailsOf(audit: Audit | undefined): string {
  const items = (audit?.details as { items?: { node?: { selector?: string; explanation?: string } }[] } | undefined)
    ?.items;
  if (audit?.scoreDisplayMode !== "binary" || !items) return "";
  return items
    .map((item) => (item.node ? `${item.node.selector}: ${item.node.explanation}` : JSON.stringify(item)).slice(0, 400))
    .join("; ");
}

async function gzipped(scripts: Set<string>): Promise<number> {
  let bytes = 0;
  for (const url of scripts) bytes += gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length;
  return bytes;
}

/** Starts a proxy that compresses the same content types as the edge. */
function compressingProxy(target: string): Promise<Server> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const accepts = String(incoming.headers["accept-encoding"] ?? "");
    const passed = httpRequest(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, "accept-encoding": "identity" },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks);
        const headers = { ...response.headers };
        delete headers["transfer-encoding"];
        const { encoding, bytes } = COMPRESSIBLE.test(String(headers["content-type"] ?? ""))
          ? await compressed(body, accepts)
          : { encoding: null, bytes: body };
        if (encoding) headers["content-encoding"] = encoding;
        outgoing.writeHead(response.statusCode ?? 502, { ...headers, "content-length": bytes.length });
        outgoing.end(bytes);
      },
    );
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function compressed(body: Buffer, accepts: string): Promise<{ encoding: string | null; bytes: Buffer }> {
  if (accepts.includes("br")) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: EDGE_BROTLI_QUALITY };
    return { encoding: "br", bytes: await promisify(brotliCompress)(body, { params }) };
  }
  if (accepts.includes("gzip")) return { encoding: "gzip", bytes: await promisify(gzip)(body) };
  return { encoding: null, bytes: body };
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
