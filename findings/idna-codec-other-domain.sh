#!/usr/bin/env bash
# International domains in Python (3.13, in pyodide 0.28.0) and in URL (Node 24.21.0): one typed domain is two domains, which
# two people can own.
#
# Most would guess: a domain has one form in ASCII (xn--), whichever program computes it, and every program reads that form
# back.
# What is true: Python's own codec "idna" follows the standard of 2003, in which "ß" is "ss" and a final "ς" is "σ". The
# standard of 2008, and all browsers since 2023, keep both letters: "straße" is xn--strae-oqa. So a mail or a request to
# one address goes to different hosts. The other way round, the codec fails on such a name, which is a valid one.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 pyodide@0.28.0 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >domains.mjs <<'JS'
import assert from "node:assert/strict";
import { loadPyodide } from "pyodide";

const DOMAINS = {
  "straße.example": ["strasse.example", "xn--strae-oqa.example"],
  "βόλος.example": ["xn--nxasmq6b.example", "xn--nxasmm1c.example"],
  "bücher.example": ["xn--bcher-kva.example", "xn--bcher-kva.example"],
};
const python = await loadPyodide();
const inPython = (expression, text) => python.runPython(expression, { globals: python.toPy({ text }) });
console.log("Python", python.runPython("import sys; sys.version.split()[0]"));
for (const [domain, expected] of Object.entries(DOMAINS)) {
  const seen = [inPython("text.encode('idna').decode()", domain), new URL(`http://${domain}`).hostname];
  console.log(`${domain.padEnd(16)} python ${seen[0].padEnd(24)} URL ${seen[1]}`);
  assert.deepEqual(seen, expected);
}
const read = () => inPython("text.encode().decode('idna')", "xn--strae-oqa.example");
assert.throws(read, /IDNA does not round-trip/);
console.log("Python can't read xn--strae-oqa.example: IDNA does not round-trip");
JS
./node_modules/.bin/node domains.mjs
