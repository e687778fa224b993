#!/usr/bin/env bash
# Cloudflare's Vitest plugin (@cloudflare/vitest-plugin 1.5.0, vitest 5.1.1): `reset()` from "cloudflare:test" skips
# what nobody has used for some ten seconds.
#
# Most would guess: "deletes all data from all attached bindings" holds whenever it is called.
# What is true: the local runtime puts a database, a bucket, a namespace or a cache that is idle for ten seconds to
# sleep, and `reset()` empties only those that are awake. After a slow test that did not touch them, the next one finds
# the rows, values and cached responses of the tests before it. Reading something of each first wakes them.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module" }' >package.json
npm install --silent --no-audit --no-fund node@24.21.0 vitest@5.1.1 @cloudflare/vitest-plugin@1.5.0 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >vitest.config.js <<'JS'
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [
    cloudflareTest({
      main: "./worker.js",
      miniflare: { compatibilityDate: "2026-11-01", kvNamespaces: ["STORE"], d1Databases: ["DB"] },
    }),
  ],
});
JS
echo 'export default { fetch: () => new Response("ok") };' >worker.js
cat >reset.test.js <<'JS'
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

const ADDRESS = "https://shop.example/prices";
const IDLE_MS = 15_000;

test("reset() empties what was used lately, and skips what was not", { timeout: 60_000 }, async () => {
  const cache = await caches.open("prices");
  const fill = async () => {
    await env.STORE.put("price", "9.90");
    await env.DB.prepare("CREATE TABLE IF NOT EXISTS prices (price TEXT)").run();
    await cache.put(ADDRESS, new Response("9.90", { headers: { "Cache-Control": "max-age=600" } }));
  };
  const left = async () => ({
    KV: await env.STORE.get("price"),
    D1: await env.DB.prepare("SELECT name FROM sqlite_master WHERE name = 'prices'").first("name"),
    cache: (await (await cache.match(ADDRESS))?.text()) ?? null,
  });
  await fill();
  await reset();
  const atOnce = await left();
  await fill();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  await reset();
  const later = await left();
  console.log("left after reset() at once:             ", JSON.stringify(atOnce));
  console.log("left after reset() when idle for 15 s:  ", JSON.stringify(later));
  expect(atOnce).toEqual({ KV: null, D1: null, cache: null });
  expect(later).toEqual({ KV: "9.90", D1: "prices", cache: "9.90" });
});
JS
PATH="$folder/node_modules/.bin:$PATH" vitest run --no-color
