#!/usr/bin/env bash
# Cloudflare D1 (workerd through miniflare 5.20261102.0-beta): a whole number that is bound to a statement arrives as a
# REAL, and shows wherever no column turns it back.
#
# Most would guess: `bind(7)` is the same as writing 7 into the statement.
# What is true: JavaScript's numbers are bound as doubles. A column of type INTEGER stores a 7, so inserting and reading
# shows nothing. Elsewhere the double stays: a text put together with it says "7.0", `json_object` writes 7.0, a division
# is not one of whole numbers, and an expression on a column and a bound number yields a REAL, whose digits end at 2^53.
# `cast(? as integer)` brings the whole number back.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 miniflare@5.20261102.0-beta >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >bound.mjs <<'JS'
import assert from "node:assert/strict";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const worker = { name: "finding", modules: true, script: "export default {}", d1Databases: { DB: "finding" } };
const miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, workers: [worker] }));
try {
  const database = await miniflare.getD1Database("DB");
  const value = async (expression) => (await database.prepare(`select ${expression} as value`).bind(7).raw())[0][0];
  const written = (expression) => expression.replace("?", "7");
  const expected = {
    "typeof(?)": ["real", "integer"],
    "'GL-' || ?": ["GL-7.0", "GL-7"],
    "json_object('id', ?)": ['{"id":7.0}', '{"id":7}'],
    "? / 2": [3.5, 3],
    "typeof(cast(? as integer))": ["integer", "integer"],
  };
  for (const [expression, [bound, inText]] of Object.entries(expected)) {
    const [{ value: plain }] = (await database.prepare(`select ${written(expression)} as value`).all()).results;
    const seen = await value(expression);
    console.log(`${expression.padEnd(28)} bound: ${String(seen).padEnd(12)} written: ${plain}`);
    assert.equal(seen, bound);
    assert.equal(plain, inText);
  }
  await database.exec("create table wallets (balance integer)");
  await database.prepare("insert into wallets values (?)").bind(7).run();
  const [[stored]] = await database.prepare("select typeof(balance) from wallets").raw();
  const [[sum]] = await database.prepare("select typeof(balance + ?) from wallets").bind(1).raw();
  console.log(`a stored 7: ${stored}, with a bound number added: ${sum}`);
  assert.deepEqual([stored, sum], ["integer", "real"]);
} finally {
  await miniflare.dispose();
}
JS
./node_modules/.bin/node bound.mjs
