import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";
import { build as buildProduct } from "#tools/run/build.ts";

const LAUNCHER_MAX_BYTES = 3 * 1024;
const PANEL_MAX_BYTES = 24 * 1024;
const DASHBOARD_MAX_BYTES = 140_000;
const LANDING_MAX_BYTES = 105_000;

const root = join(import.meta.dirname, "..", "..");
const assets = join(root, "build", "client", "assets");

beforeAll(async () => {
  await buildProduct(root);
}, 420_000);

test("adds at most 3 kB to a page for the chat launcher", async () => {
  const built = await build({
    configFile: false,
    root,
    logLevel: "error",
    build: {
      write: false,
      minify: true,
      target: "es2022",
      lib: { entry: join(root, "app/support/widget/support-widget.tsx"), formats: ["es"] },
      rollupOptions: { external: [/^react/, /^@remix-run/, "sonner", /createLucideIcon/, /panel\.tsx$/] },
    },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const code = outputs.map((one) => (one.type === "chunk" ? one.code : "")).join("");
  expect(code).toContain("Open support chat");
  const size = gzipSync(code).length;
  console.log(`launcher: ${size} bytes gzip of ${LAUNCHER_MAX_BYTES}`);
  expect(size).toBeLessThanOrEqual(LAUNCHER_MAX_BYTES);
});

test("fetches at most 24 kB of script for the panel beyond what every page has", () => {
  const names = readdirSync(assets);
  const panel = names.find((name) => /^chat-panel-.*\.js$/.test(name));
  if (!panel) throw new Error("the build has no chunk of the chat panel");
  const page = scriptsOf("root");
  const fetched = [...reachable(panel)].filter((name) => !page.has(name));
  expect(fetched).toContain(panel);
  const size = gzipped(fetched);
  console.log(`panel: ${size} bytes gzip of ${PANEL_MAX_BYTES}`);
  expect(size).toBeLessThanOrEqual(PANEL_MAX_BYTES);
});

test("loads at most 105 kB of script on the landing page, framework included", () => {
  const size = gzipped([...scriptsOf("routes/site/home")]);
  console.log(`landing page: ${size} bytes gzip of ${LANDING_MAX_BYTES}`);
  expect(size).toBeGreaterThan(50_000);
  expect(size).toBeLessThanOrEqual(LANDING_MAX_BYTES);
});

test("loads at most 140 kB of script on the dashboard, and no zod", () => {
  const scripts = [...scriptsOf("routes/dashboard/overview")];
  const size = gzipped(scripts);
  console.log(`dashboard: ${size} bytes gzip of ${DASHBOARD_MAX_BYTES}`);
  expect(size).toBeGreaterThan(50_000);
  expect(size).toBeLessThanOrEqual(DASHBOARD_MAX_BYTES);
  for (const name of scripts) {
    // Property names, which minifying keeps.
    expect(readFileSync(join(assets, name), "utf8"), name).not.toMatch(/ZodError|_zod\b/);
  }
});

type Scripts = { module: string; imports?: string[]; parentId?: string };

/** Returns the scripts that a route's page loads: entry, layouts and route, from Remix's manifest. */
function scriptsOf(id: string): Set<string> {
  const name = readdirSync(assets).find((one) => /^manifest-.*\.js$/.test(one)) ?? "";
  const text = readFileSync(join(assets, name), "utf8").replace(/^window\.__remixManifest=/, "");
  const manifest = JSON.parse(text.replace(/;\s*$/, "")) as { entry: Scripts; routes: Record<string, Scripts> };
  const all = [manifest.entry];
  for (let route = manifest.routes[id]; route; route = manifest.routes[route.parentId ?? ""]) all.push(route);
  const files = all.flatMap((one) => [one.module, ...(one.imports ?? [])]).map((url) => basename(url));
  return new Set(files.flatMap((file) => [...reachable(file)]));
}

function gzipped(names: string[]): number {
  return names.reduce((total, name) => total + gzipSync(readFileSync(join(assets, name))).length, 0);
}

function reachable(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const code = readFileSync(join(assets, name), "utf8");
  for (const [, imported] of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
    if (imported) reachable(imported, found);
  }
  return found;
}
