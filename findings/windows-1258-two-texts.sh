#!/usr/bin/env bash
# Windows-1258, the Vietnamese code page (Node 24.21.0, iconv of Debian's glibc, iconv-lite 0.7.0): the same bytes are two
# different texts, and a letter that the code page can write becomes a question mark.
#
# Most would guess: a single-byte code page is a table, so every decoder makes the same text of the same bytes.
# What is true: its tone marks are bytes of their own, after the letter. TextDecoder and iconv-lite keep them so, and the
# text is neither NFC nor NFD: "ế" is U+00EA U+0301, a form that no normalization makes. glibc composes it to U+1EBF while
# it decodes. The text typed anew, or read by the other program, is another string, so keys, digests and password hashes
# differ. Back again, glibc takes the letter apart; iconv-lite writes "?" and says nothing.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 iconv-lite@0.7.0 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >decode.mjs <<'JS'
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import iconvLite from "iconv-lite";

const WORD = Buffer.from([0x74, 0x69, 0xea, 0xec, 0x6e, 0x67]);
const iconv = (from, to, input) => execFileSync("iconv", ["-f", from, "-t", to], { input });
const shown = (text) => [...text].map((letter) => `U+${letter.codePointAt(0).toString(16).padStart(4, "0")}`).join(" ");

const decoded = {
  TextDecoder: new TextDecoder("windows-1258").decode(WORD),
  "iconv-lite": iconvLite.decode(WORD, "windows-1258"),
  "glibc iconv": iconv("CP1258", "UTF-8", WORD).toString(),
};
console.log(execFileSync("iconv", ["--version"]).toString().split("\n")[0]);
console.log(`decoding ${WORD.toString("hex")}`);
for (const [name, text] of Object.entries(decoded)) console.log(`  ${name.padEnd(12)} ${shown(text)}`);
const encoded = {
  "iconv-lite": iconvLite.encode("ti\u1ebfng", "windows-1258").toString("latin1"),
  "glibc iconv": iconv("UTF-8", "CP1258", "ti\u1ebfng").toString("latin1"),
};
console.log("encoding U+1EBF");
for (const [name, text] of Object.entries(encoded)) console.log(`  ${name.padEnd(12)} ${Buffer.from(text, "latin1").toString("hex")}`);

const loose = "ti\u00ea\u0301ng";
assert.equal(decoded.TextDecoder, loose);
assert.equal(decoded["iconv-lite"], loose);
assert.notEqual(loose, loose.normalize("NFC"));
assert.notEqual(loose, loose.normalize("NFD"));
assert.equal(decoded["glibc iconv"], "ti\u1ebfng");
assert.equal(encoded["glibc iconv"], WORD.toString("latin1"));
assert.equal(encoded["iconv-lite"], "ti?ng");
JS
./node_modules/.bin/node decode.mjs
