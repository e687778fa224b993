#!/usr/bin/env bash
# TextDecoder of Node 24.21.0: two valid texts in ISO-2022-JP, one after the other, are not valid.
#
# Most would guess: what decodes as two texts also decodes as one, as in any charset in which each text ends where it began.
# What is true: one that ends with the escape to ASCII, and one that begins with the escape to kanji, put two escapes side by
# side, and the Encoding Standard takes the second for an error, so that no text hides in escapes. A long Japanese subject of a
# mail is a row of such texts. Joined before they are decoded, as UTF-8 that was cut inside a letter must be, they break.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 >install.log 2>&1 || { cat install.log; exit 1; }

cat >joined.mjs <<'JS'
const strict = (charset) => new TextDecoder(charset, { fatal: true });
const attempt = (charset, bytes) => {
  try {
    return strict(charset).decode(bytes);
  } catch {
    return "an error";
  }
};
// "=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= =?ISO-2022-JP?B?GyRCOGwbKEI=?=" of a subject.
const words = ["GyRCRnxLXBsoQg==", "GyRCOGwbKEI="].map((word) => Buffer.from(word, "base64"));
console.log("each: ", words.map((word) => attempt("iso-2022-jp", word)).join(" and "));
console.log("joined:", attempt("iso-2022-jp", Buffer.concat(words)));
console.log("not strict:", JSON.stringify(new TextDecoder("iso-2022-jp").decode(Buffer.concat(words))));
JS
./node_modules/.bin/node joined.mjs | tee seen
diff seen - <<'EXPECTED'
each:  日本 and 語
joined: an error
not strict: "日本�語"
EXPECTED
