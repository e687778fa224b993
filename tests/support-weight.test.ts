import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";
import { build as buildProduct } from "#tools/build.ts";

const LAUNCHER_MAX_BYTES = 5 * 1024;
const PANEL_MAX_BYTES = 30 * 1024;

const root = join(import.meta.dirname, "..");
const assets = join(root, "build", "client", "assets");

beforeAll(async () => {
  await buildProduct(root);
}, 180_000);

test("the launcher is at most 5 kB beyond what the page has anyway", async () => {
  const built = await build({
    configFile: false,
    root,
    logLevel: "error",
    build: {
      write: false,
      minify: true,
      target: "es2022",
      lib: { entry: join(root, "app/support/widget.tsx"), formats: ["es"] },
      rollupOptions: { external: [/^react/, /^@remix-run/, "sonner", /createLucideIcon/, /panel\.tsx$/] },
    },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const code = outputs.map((one) => (one.type === "chunk" ? one.code : "")).join("");
  expect(code).toContain("Open support chat");
  expect(gzipSync(code).length).toBeLessThanOrEqual(LAUNCHER_MAX_BYTES);
});

test("opening the panel fetches at most 30 kB of script beyond what every page has", () => {
  const names = readdirSync(assets);
  const panel = names.find((name) => /^panel-.*\.js$/.test(name)) ?? "";
  const page = new Set(pageScripts().flatMap((name) => [...reachable(name)]));
  const fetched = [...reachable(panel)].filter((name) => !page.has(name));
  expect(fetched).toContain(panel);
  const sizes = fetched.map((name) => gzipSync(readFileSync(join(assets, name))).length);
  expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(PANEL_MAX_BYTES);
});

/** What a page of any route loads: the entry and the root route, as Remix's own manifest names them. */
function pageScripts(): string[] {
  const name = readdirSync(assets).find((one) => /^manifest-.*\.js$/.test(one)) ?? "";
  const text = readFileSync(join(assets, name), "utf8").replace(/^window\.__remixManifest=/, "");
  const manifest = JSON.parse(text.replace(/;\s*$/, "")) as {
    entry: { module: string; imports: string[] };
    routes: { root: { module: string; imports: string[] } };
  };
  return [manifest.entry, manifest.routes.root]
    .flatMap((one) => [one.module, ...one.imports])
    .map((url) => basename(url));
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
