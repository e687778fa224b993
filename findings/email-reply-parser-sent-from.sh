#!/usr/bin/env bash
# email-reply-parser 2.3.9: a sentence that begins with "Sent from" ends the answer, with all that is typed below it.
#
# Most would guess: what is visible of an answer is what was typed; at worst a signature or a quotation too many stays.
# What is true: a line that starts as the signature of a phone does is one, whatever follows the first two words, and a
# signature reaches to the end. On the other side, the line above a quotation stays in languages whose words it doesn't know:
# those of Gmail in Japanese and of Thunderbird in Finnish. Both mistakes come from word lists; only one of them loses text.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --omit=peer node@24.21.0 email-reply-parser@2.3.9 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >visible.mjs <<'JS'
import assert from "node:assert/strict";
import EmailReplyParser from "email-reply-parser";

const seen = (text) => new EmailReplyParser().read(text).getVisibleText().trim();
const cases = [
  ["The money was\nSent from my bank account yesterday.\nPlease check.\n", "The money was"],
  ["The money was\nsent by my bank yesterday.\nPlease check.\n", "The money was\nsent by my bank yesterday.\nPlease check."],
  ["Yes\n\nOn Mon, Nov 23, 2026 at 9:05 AM Shop <shop@shop.example> wrote:\n\n> Hi\n", "Yes"],
  [
    "Yes\n\n2026年11月23日(月) 9:05 Shop <shop@shop.example>:\n\n> Hi\n",
    "Yes\n\n2026年11月23日(月) 9:05 Shop <shop@shop.example>:",
  ],
  ["Yes\n\nShop kirjoitti 23.11.2026 klo 09:05:\n> Hi\n", "Yes\n\nShop kirjoitti 23.11.2026 klo 09:05:"],
];
for (const [text, visible] of cases) {
  console.log(`${JSON.stringify(text)}\n  is ${JSON.stringify(seen(text))}`);
  assert.equal(seen(text), visible);
}
JS
./node_modules/.bin/node visible.mjs
