#!/usr/bin/env bash
# Miniflare 5.20261102.0-beta: a statement of the local D1 costs several times as much as the same statement in a
# Durable Object, which is what the local D1 is inside.
#
# Most would guess: both are the same SQLite in the same process behind one asynchronous call, so they cost about the same,
# and a slow local test waits for the database.
# What is true: a call of the D1 binding passes an entry service and the object behind it as an HTTP request with a body of
# JSON, which is read, checked and written again on its way, and reads total_changes() before and after the statement. A call
# of an object's method needs none of it. Over many small statements the plumbing is most of what a local run does, so their
# number says little about a D1 that is deployed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module" }' >package.json
npm install --silent --no-audit --no-fund node@24.21.0 miniflare@5.20261102.0-beta >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >compare.js <<'JS'
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const STATEMENTS = 1000;
const ROUNDS = 5;
/** Seen: 7 to 20. */
const AT_LEAST = 3;

const script = `
import { DurableObject } from "cloudflare:workers";
const SELECT = "SELECT price FROM prices WHERE id = ?";
const TABLE = "CREATE TABLE IF NOT EXISTS prices (id INTEGER PRIMARY KEY, price TEXT)";
const ROW = "INSERT OR IGNORE INTO prices VALUES (1, '9.90')";
export class Prices extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec(TABLE);
    ctx.storage.sql.exec(ROW);
  }
  read(id) {
    return [...this.ctx.storage.sql.exec(SELECT, id)];
  }
}
export default {
  async fetch(request, env) {
    await env.DB.batch([env.DB.prepare(TABLE), env.DB.prepare(ROW)]);
    const { way, times } = await request.json();
    const object = env.PRICES.getByName("prices");
    let rows;
    for (let n = 0; n < times; n++) {
      rows = way === "D1" ? (await env.DB.prepare(SELECT).bind(1).all()).results : await object.read(1);
    }
    return Response.json(rows);
  },
};`;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script,
    compatibilityDate: "2026-11-01",
    d1Databases: ["DB"],
    durableObjects: { PRICES: { className: "Prices", useSQLite: true } },
  }),
);
const url = await miniflare.ready;

async function run(way, times) {
  const began = performance.now();
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ way, times }) });
  const rows = await response.text();
  return { ms: performance.now() - began, rows };
}

for (const way of ["D1", "object"]) await run(way, STATEMENTS);
const ratios = [];
for (let round = 0; round < ROUNDS; round++) {
  const d1 = await run("D1", STATEMENTS);
  const object = await run("object", STATEMENTS);
  if (d1.rows !== object.rows) throw new Error(`other rows: ${d1.rows}, ${object.rows}`);
  console.log(`${STATEMENTS} statements: D1 ${d1.ms.toFixed(0)} ms, object ${object.ms.toFixed(0)} ms`);
  ratios.push(d1.ms / object.ms);
}
await miniflare.dispose();
const median = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
console.log(`D1 costs ${median.toFixed(1)} times as much`);
if (median < AT_LEAST) throw new Error(`expected at least ${AT_LEAST} times`);
JS
node_modules/.bin/node compare.js
