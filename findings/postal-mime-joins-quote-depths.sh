#!/usr/bin/env bash
# postal-mime 4.0.0: unfolding a text (format=flowed) joins a quoted line to the typed line below it.
#
# Most would guess: a parser that unfolds such a text undoes what RFC 3676 describes, so each typed line stays one.
# What is true: lines are joined wherever one ends with a space, whatever their quote depths are. Section 4.5 says that a
# change of depth ends a paragraph. Some programs write an empty quoted line as "> ", with a space at its end: the first line
# typed below it becomes the rest of a quoted line, and whoever drops what is quoted drops it too. Without format=flowed in
# the header of the part the lines stay as they are.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 postal-mime@4.0.0 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >flowed.mjs <<'JS'
import assert from "node:assert/strict";
import PostalMime from "postal-mime";

const lines = ["> Have they arrived?", "> ", "Yes, all but one.", "Please refill that one."];
const textOf = async (format) => {
  const { text } = await PostalMime.parse(`Content-Type: text/plain; charset=utf-8${format}\r\n\r\n${lines.join("\r\n")}\r\n`);
  return text.trimEnd().split("\n");
};
const [flowed, fixed] = [await textOf("; format=flowed"), await textOf("")];
console.log("format=flowed:", JSON.stringify(flowed));
console.log("without:      ", JSON.stringify(fixed));
assert.deepEqual(flowed, ["> Have they arrived?", "> Yes, all but one.", "Please refill that one."]);
assert.deepEqual(fixed, lines);
JS
./node_modules/.bin/node flowed.mjs
