import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import type { GetModuleInfo, ManualChunkMeta } from "rollup";
import { defineConfig, type Plugin } from "vite";

// Types loaders and actions as single fetch returns them.
declare module "@remix-run/server-runtime" {
  interface Future {
    v3_singleFetch: true;
  }
}

/**
 * Changes two things in sonner that have no setting. It inserts a <style> when it loads, which the CSP refuses, so
 * app/styles.css imports its stylesheet instead. Its swipe threshold is 45 px, and the spec's is 50 px.
 */
function ourToasts(): Plugin {
  const changes = [
    [/^__insertCSS\(".*"\);?$/m, ""],
    [/^const SWIPE_THRESHOLD = 45;$/m, "const SWIPE_THRESHOLD = 50;"],
  ] as const;
  return {
    name: "our-toasts",
    transform(code, id) {
      if (!/\/sonner\/dist\/index\.m?js/.test(id)) return;
      for (const [what] of changes) if (!what.test(code)) this.error(`sonner no longer has ${what}`);
      return { code: changes.reduce((before, [what, by]) => before.replace(what, by), code), map: null };
    },
  };
}

/** Cuts texts for developers out of Remix's scripts: warnings about future flags, and default pages that we never show. */
function withoutHints(): Plugin {
  const cuts: [file: RegExp, what: RegExp, by: string][] = [
    [/\/react-router(-dom)?\/dist\/index\.js$/, /React\.useEffect\(\(\) => \w*logV6DeprecationWarnings\([^;]*;/, ""],
    [
      /\/@remix-run\/react\/dist\/esm\/errorBoundaries\.js$/,
      /let heyDeveloper = [\s\S]*?\n {2}\}\);/,
      "let heyDeveloper = null;",
    ],
    [
      /\/@remix-run\/react\/dist\/esm\/fallback\.js$/,
      /(function RemixRootDefaultHydrateFallback\(\) \{)[\s\S]*?\n\}/,
      "$1 return null; }",
    ],
  ];
  return {
    name: "without-hints",
    enforce: "pre",
    transform(code, id) {
      const cut = cuts.find(([file]) => file.test(id));
      if (!cut) return;
      if (!cut[1].test(code)) this.error(`${id} no longer has ${cut[1]}`);
      return { code: code.replace(cut[1], cut[2]), map: null };
    },
  };
}

/**
 * Revives errors of the classes of the language only, where Remix and turbo-stream 2 would construct any global that the
 * data names (GHSA-337j-9hxr-rhxg, GHSA-49rj-9fvp-4h2h). Remix 2 gets no fix.
 */
export function knownErrors(): Plugin {
  const known = (name: string) =>
    `(/^(Eval|Range|Reference|Syntax|Type|URI)Error$/.test(${name}) ? globalThis[${name}] : undefined)`;
  const changes: [file: RegExp, what: string, by: string][] = [
    [/\/@remix-run\/react\/dist\/esm\/errors\.js$/, "window[val.__subType]", known("val.__subType")],
    [/\/react-router-dom\/dist\/index\.js$/, "window[val.__subType]", known("val.__subType")],
    [
      /\/turbo-stream\/dist\/turbo-stream\.m?js$/,
      "errorType && globalObj && globalObj[errorType] ? new globalObj[errorType](message) : new Error(message)",
      `new (${known("errorType")} ?? Error)(message)`,
    ],
  ];
  return {
    name: "known-errors",
    enforce: "pre",
    transform(code, id) {
      const change = changes.find(([file]) => file.test(id));
      if (!change) return;
      if (!code.includes(change[1])) this.error(`${id} no longer has ${change[1]}`);
      return { code: code.replace(change[1], change[2]), map: null };
    },
  };
}

/** Draws lucide's icons by our own small component: theirs is 1.5 kB of every page's scripts, and slow to render. */
function ownIcons(): Plugin {
  return {
    name: "own-icons",
    enforce: "pre",
    resolveId(source, importer) {
      const isIcon = importer?.includes("/lucide-react/dist/esm/icons/") && source.endsWith("/createLucideIcon.mjs");
      return isIcon ? join(import.meta.dirname, "app/components/ui/lucide-icon.ts") : null;
    },
  };
}

/**
 * Writes the licenses of all packages that browsers load to `/licenses.txt`. The scripts themselves carry no license
 * comments: each module of a package repeats its own, which was 700 bytes of every page.
 */
function licenses(): Plugin {
  return {
    name: "licenses",
    applyToEnvironment: ({ name }) => name === "client",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
      const modules = chunks.flatMap((chunk) => chunk.moduleIds);
      const folders = new Set(modules.flatMap((id) => /[^\0]*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
      const texts = [...folders].sort().map(licenseOf);
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: texts.join("\n\n") });
    },
  };
}

function licenseOf(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.\w+)?$/i.test(name));
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return [`${name} ${version}: ${license}`, ...(file ? [readFileSync(join(folder, file), "utf8").trim()] : [])].join(
    "\n",
  );
}

/** Returns the commit being built, or "unknown" without git. */
function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "unknown";
  }
}

/** Bundles what every page loads into two files: the framework, which rarely changes, and the frame. */
function frameChunks(id: string, { getModuleInfo }: ManualChunkMeta): string | undefined {
  if (ORDER_TERMS.some((part) => id.endsWith(`/app/${part}`))) return "order-terms";
  if (!frameOf(getModuleInfo).has(id)) return undefined;
  return id.includes("/node_modules/") && !id.includes("/lucide-react/") ? "framework" : "frame";
}

const frames = new WeakMap<GetModuleInfo, Set<string>>();

/** Parts that nearly every page uses. A separate chunk for each would cost a request and compress worse. */
const SHARED_PARTS = [
  "components/formats/money-amount.tsx",
  "components/forms/field.tsx",
  "components/forms/select.tsx",
  "components/hydration/use-fields-at-hydration.ts",
  "components/page/page-meta.ts",
  "components/ui/copy-button.tsx",
  "landing/landing-section.tsx",
  "orders/catalog/price-list/price-list-paths.ts",
  "time.ts",
];

/** Parts that the landing page and the order form share. Apart, they would be five requests of a few hundred bytes. */
const ORDER_TERMS = [
  "orders/catalog/service-options.tsx",
  "orders/placing/quote.ts",
  "orders/placing/receipt.tsx",
  "orders/rules/charge-and-refund.ts",
  "orders/rules/lines.ts",
];

/** Returns the modules that the root route and the shared parts import, directly or not, except by `import()`. */
function frameOf(getModuleInfo: GetModuleInfo): Set<string> {
  const known = frames.get(getModuleInfo);
  if (known) return known;
  const frame = new Set<string>();
  frames.set(getModuleInfo, frame);
  const add = (id: string) => {
    if (frame.has(id)) return;
    frame.add(id);
    for (const imported of getModuleInfo(id)?.importedIds ?? []) add(imported);
  };
  for (const entry of ["entry.client.tsx", "root.tsx", ...SHARED_PARTS]) add(join(import.meta.dirname, "app", entry));
  // Drawn by the calculator and by the chat, which must not load the order's terms for it.
  add(join(import.meta.dirname, "node_modules/lucide-react/dist/esm/icons/check.mjs"));
  return frame;
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [
    ourToasts(),
    withoutHints(),
    knownErrors(),
    ownIcons(),
    licenses(),
    tailwindcss(),
    remix({
      future: {
        v3_fetcherPersist: true,
        v3_relativeSplatPath: true,
        v3_throwAbortReason: true,
        v3_lazyRouteDiscovery: true,
        v3_singleFetch: true,
        v3_routeConfig: true,
      },
    }),
  ],
  ssr: {
    target: "webworker",
    noExternal: true,
    resolve: { conditions: ["workerd", "worker", "browser"], externalConditions: ["workerd", "worker"] },
  },
  esbuild: { legalComments: "none" },
  define: { "import.meta.env.BUILD": JSON.stringify({ at: new Date().toISOString(), commit: commit() }) },
  build: {
    target: "es2022",
    // Remix names a page's modules in its HTML. Vite's own helper for the rest would be 1 kB on every page.
    modulePreload: false,
    // Takes ten seconds more than esbuild, for 4 % less of each page's scripts. A second pass takes as long again, for 0.1 %.
    minify: isSsrBuild ? "esbuild" : "terser",
    terserOptions: { ecma: 2020, module: true, format: { comments: false } },
    ...(!isSsrBuild && {
      rollupOptions: {
        output: { manualChunks: frameChunks },
      },
    }),
  },
}));
