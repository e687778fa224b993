#!/usr/bin/env bash
# Unicode's composed form, NFC (Node 24.21.0 with Unicode 17): it takes some letters apart, and makes their text up to
# three times as long.
#
# Most would guess: NFC composes, so its text is at most as long as what was typed, and a limit that was checked before
# holds after. What a keyboard sends as one character stays one.
# What is true: dozens of characters are excluded from composition. The Hindi letter U+0958 and the pointed Hebrew letter
# U+FB2C become two and three characters in NFC, and nothing composes them again. A name of 100 such letters is 300 long
# in a column that takes 100; a text that arrived as one character each matches none of its normalized forms, so a hash of
# it can't be found from how the same word is typed elsewhere.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >compose.mjs <<'JS'
import assert from "node:assert/strict";

const FORMS = ["NFC", "NFD", "NFKC", "NFKD"];
const shown = (text) => [...text].map((letter) => `U+${letter.codePointAt(0).toString(16).padStart(4, "0")}`).join(" ");
const letters = { "Hindi qa": ["\u0958", 2], "Hebrew shin with two points": ["\ufb2c", 3], "Greek dialytika tonos": ["\u0344", 2] };
for (const [name, [letter, length]] of Object.entries(letters)) {
  const nfc = letter.normalize("NFC");
  console.log(`${name.padEnd(28)} ${shown(letter)} -> NFC ${shown(nfc)}`);
  assert.equal(nfc.length, length);
  assert.ok(FORMS.every((form) => letter.normalize(form) !== letter));
  assert.ok(FORMS.every((form) => nfc.normalize(form) !== letter));
}
const name = "\ufb2c".repeat(100);
console.log(`a text of ${name.length}: ${name.normalize("NFC").length} in NFC`);
assert.equal(name.normalize("NFC").length, 300);

const excluded = [];
for (let code = 0; code < 0x110000; code++) {
  if (code >= 0xd800 && code < 0xe000) continue;
  const letter = String.fromCodePoint(code);
  if ([...letter.normalize("NFC")].length > 1) excluded.push(letter);
}
console.log(`${excluded.length} characters become several in NFC`);
assert.ok(excluded.length >= 60);
JS
./node_modules/.bin/node compose.mjs
