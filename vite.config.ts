import { execFileSync } from "node:child_process";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";

// Types of loaders and actions as single fetch gives them.
declare module "@remix-run/server-runtime" {
  interface Future {
    v3_singleFetch: true;
  }
}

/** sonner writes a <style> when it loads, which the CSP refuses; app/styles.css imports its stylesheet instead. */
function withoutInjectedToastStyles(): Plugin {
  const injection = /^__insertCSS\(".*"\);?$/m;
  return {
    name: "without-injected-toast-styles",
    transform(code, id) {
      if (!/\/sonner\/dist\/index\.m?js/.test(id)) return;
      if (!injection.test(code)) this.error("sonner no longer injects its styles the way vite.config.ts removes");
      return { code: code.replace(injection, ""), map: null };
    },
  };
}

/** Of the sources that are built; a copy without git has none. */
function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "unknown";
  }
}

export default defineConfig({
  plugins: [
    withoutInjectedToastStyles(),
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
  define: { "import.meta.env.BUILD": JSON.stringify({ at: new Date().toISOString(), commit: commit() }) },
  build: { target: "es2022", minify: true },
});
