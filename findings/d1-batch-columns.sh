#!/usr/bin/env bash
# Cloudflare D1 (workerd through miniflare 5.20261102.0-beta): a batch returns fewer columns than were selected, in
# another order.
#
# Most would guess: `batch()` returns what `raw()` returns for the same statement, only for several statements at once.
# What is true: a batch's rows are objects keyed by column name. Of two columns with one name, as in a join, one is left,
# so there are two values where three were selected. A column named by a whole number comes first, wherever it was
# selected, because JavaScript orders such keys so. Code that reads a batch's rows by place, as query builders do, puts a
# value into another column. `raw()` returns all three, in order.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 miniflare@5.20261102.0-beta >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >batch.mjs <<'JS'
import assert from "node:assert/strict";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const worker = { name: "finding", modules: true, script: "export default {}", d1Databases: { DB: "finding" } };
const miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, workers: [worker] }));
try {
  const database = await miniflare.getD1Database("DB");
  const joined = database.prepare("select o.price, s.price, o.paid from (select 5 as price, 1 as paid) o, (select 9 as price) s");
  const numbered = database.prepare(`select 'likes' as name, 40 as "2026", 'USD' as currency`);
  const rows = { raw: await joined.raw(), all: (await joined.all()).results };
  const [inBatch, numberedInBatch] = (await database.batch([joined, numbered])).map(({ results }) => results);
  console.log("three columns, two of them named price");
  console.log("  raw():  ", JSON.stringify(rows.raw));
  console.log("  all():  ", JSON.stringify(rows.all));
  console.log("  batch():", JSON.stringify(inBatch));
  console.log("name, 2026, currency");
  console.log("  raw():  ", JSON.stringify(await numbered.raw()));
  console.log("  batch():", JSON.stringify(numberedInBatch));
  assert.deepEqual(rows.raw, [[5, 9, 1]]);
  assert.deepEqual(rows.all, [{ price: 9, paid: 1 }]);
  assert.deepEqual(Object.entries(inBatch[0]), [["price", 9], ["paid", 1]]);
  assert.deepEqual(await numbered.raw(), [["likes", 40, "USD"]]);
  assert.deepEqual(Object.keys(numberedInBatch[0]), ["2026", "name", "currency"]);
} finally {
  await miniflare.dispose();
}
JS
./node_modules/.bin/node batch.mjs
