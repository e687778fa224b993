#!/usr/bin/env bash
# Chromium (in @sparticuz/chromium 153.0.0): a field of type email and the address bar make two domains of one that is typed.
#
# Most would guess: the browser sends what was typed, or its form in ASCII, which is the one that `new URL` gives.
# What is true: Chromium writes the field's domain in ASCII by rules of 2003, in which "ß" is "ss" and a final "ς" is "σ",
# and the script and the server see only that. Its URLs have kept both letters since version 110. So who types
# bo@straße.example signs up as bo@strasse.example, another domain with another owner, and the link that confirms the address
# goes there. Firefox (153, seen apart) sends what was typed. A field of type text with inputmode=email does too.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 @sparticuz/chromium@153.0.0 puppeteer-core@25.16.0 \
  >install.log 2>&1 || { cat install.log; exit 1; }

cat >field.mjs <<'JS'
import assert from "node:assert/strict";
import chromium from "@sparticuz/chromium";
import puppeteer from "puppeteer-core";

const DOMAINS = {
  "straße.example": ["strasse.example", "xn--strae-oqa.example"],
  "βόλος.example": ["xn--nxasmq6b.example", "xn--nxasmm1c.example"],
  "bücher.example": ["xn--bcher-kva.example", "xn--bcher-kva.example"],
};
const browser = await puppeteer.launch({
  args: [...chromium.args, "--no-sandbox"],
  executablePath: await chromium.executablePath(),
  headless: "shell",
});
try {
  console.log(await browser.version());
  const page = await browser.newPage();
  await page.setContent("<form><input name=email type=email><input name=text type=text inputmode=email></form>");
  for (const [domain, [inField, inUrl]] of Object.entries(DOMAINS)) {
    for (const name of ["email", "text"]) {
      await page.$eval(`[name=${name}]`, (input) => { input.value = ""; });
      await page.type(`[name=${name}]`, `bo@${domain}`);
    }
    const seen = await page.evaluate((typed) => {
      const sent = new FormData(document.forms[0]);
      return { email: sent.get("email"), text: sent.get("text"), url: new URL(`http://${typed}`).hostname };
    }, domain);
    console.log(`${domain.padEnd(16)} email field ${seen.email.padEnd(27)} text field ${seen.text.padEnd(20)} URL ${seen.url}`);
    assert.deepEqual(seen, { email: `bo@${inField}`, text: `bo@${domain}`, url: inUrl });
  }
} finally {
  await browser.close();
}
JS
./node_modules/.bin/node field.mjs
