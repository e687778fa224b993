#!/usr/bin/env bash
# workerd (through miniflare 5.20261102.0-beta): a form that declares its charset can't be read, even if it is all ASCII.
#
# Most would guess: `formData()` reads a form that declares `charset=ISO-8859-1` either in that charset, or, as the standard
# says, in UTF-8 whatever it declares. Programs beside sites in ISO-8859-1 declare it.
# What is true: workerd throws a TypeError at any declared charset but UTF-8, for a body of plain ASCII too. Node reads the
# same forms as UTF-8. Without a declaration both read the byte F6 as U+FFFD and tell nobody. Both read a part of a
# multipart form as UTF-8 that says `text/plain; charset=ISO-8859-1`.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 miniflare@5.20261102.0-beta >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >read.mjs <<'JS'
const FORM = "application/x-www-form-urlencoded";
const part = 'Content-Disposition: form-data; name="text"\r\nContent-Type: text/plain; charset=ISO-8859-1';
const forms = {
  "ASCII, declared as Latin-1": [`${FORM}; charset=ISO-8859-1`, "text=Schoen"],
  "ASCII, declared as UTF-8": [`${FORM}; charset=UTF-8`, "text=Schoen"],
  "Latin-1, declared": [`${FORM}; charset=ISO-8859-1`, "text=Sch%F6n"],
  "Latin-1, undeclared": [FORM, "text=Sch%F6n"],
  "Latin-1, declared by its part": ["multipart/form-data; boundary=x", `--x\r\n${part}\r\n\r\nSch\xf6n\r\n--x--\r\n`],
};

export async function readForms() {
  const read = {};
  for (const [name, [type, text]] of Object.entries(forms)) {
    const body = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const request = new Request("https://shop.example", { method: "POST", headers: { "Content-Type": type }, body });
    read[name] = await request.formData().then((form) => form.get("text"), (error) => error.name);
  }
  return read;
}
JS
cat >charset.mjs <<'JS'
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readForms } from "./read.mjs";

const script = `${readFileSync("read.mjs", "utf8")}
export default { fetch: async () => Response.json(await readForms()) };`;
const worker = { name: "finding", modules: true, script, compatibilityDate: "2026-11-01" };
const miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, workers: [worker] }));
try {
  const inWorkerd = await (await miniflare.dispatchFetch("https://shop.example")).json();
  const inNode = await readForms();
  for (const name of Object.keys(inNode)) {
    console.log(`${name.padEnd(30)} workerd: ${JSON.stringify(inWorkerd[name]).padEnd(14)} Node: ${JSON.stringify(inNode[name])}`);
  }
  assert.deepEqual(Object.values(inWorkerd), ["TypeError", "Schoen", "TypeError", "Sch\ufffdn", "Sch\ufffdn"]);
  assert.deepEqual(Object.values(inNode), ["Schoen", "Schoen", "Sch\ufffdn", "Sch\ufffdn", "Sch\ufffdn"]);
} finally {
  await miniflare.dispose();
}
JS
./node_modules/.bin/node charset.mjs
