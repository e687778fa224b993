#!/usr/bin/env bash
# Cloudflare D1 in the local runtime (workerd through miniflare 5.20261102.0-beta): every statement that only reads
# writes to the database's file.
#
# Most would guess: a SELECT leaves the file alone, since its answer says `changed_db: false` and `rows_written: 0`.
# What is true: each call, also one that reads a row, commits a new value of a counter in a hidden table,
# `_cf_METADATA`, and appends a page of 4,096 bytes and its header of 24 to the write-ahead log: 412,000 bytes for a
# hundred reads. A test suite of reads is therefore as fast as its disk confirms writes, and faster with its state in
# memory (a tmpfs), and two copies of the same data differ after one of them was read.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 miniflare@5.20261102.0-beta >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >reads.mjs <<'JS'
import assert from "node:assert/strict";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const READS = 100;
const state = join(process.cwd(), "state");
const worker = { name: "finding", modules: true, script: "export default {}", d1Databases: { DB: "finding" } };
const miniflare = new Miniflare(
  convertV4MiniflareOptions({ telemetry: { enabled: false }, resourcePersistencePath: state, workers: [worker] }),
);
let file;
const logSize = () => statSync(`${file}-wal`).size;
const counter = () => {
  const reader = new DatabaseSync(file, { readOnly: true });
  const { value } = reader.prepare("SELECT value FROM _cf_METADATA").get();
  reader.close();
  return value;
};
try {
  const database = await miniflare.getD1Database("DB");
  await database.exec("CREATE TABLE prices (rate INTEGER)");
  await database.prepare("INSERT INTO prices VALUES (5)").run();
  file = globSync(join(state, "d1", "**", "*.sqlite")).find((path) => !path.endsWith("metadata.sqlite"));
  const before = { log: logSize(), counter: counter() };
  let meta;
  for (let read = 0; read < READS; read++) ({ meta } = await database.prepare("SELECT rate FROM prices").all());
  const after = { log: logSize(), counter: counter() };
  console.log("what the answer says:     ", JSON.stringify({ changed_db: meta.changed_db, rows_written: meta.rows_written }));
  console.log(`bytes after ${READS} reads:    `, after.log - before.log);
  console.log("hidden counter went up by:", after.counter - before.counter);
  assert.deepEqual([meta.changed_db, meta.rows_written], [false, 0]);
  assert.equal(after.log - before.log, READS * (4096 + 24));
  assert.equal(after.counter - before.counter, READS);
} finally {
  await miniflare.dispose();
}
JS
./node_modules/.bin/node --no-warnings reads.mjs
