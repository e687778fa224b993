#!/usr/bin/env bash
# email.header of Python 3.11.2 (Debian 12): a header in GB2312 or Big5 names a charset that only Python knows.
#
# Most would guess: Header(text, "gb2312") writes "=?gb2312?b?…?=", as Header(text, "euc-kr") writes "=?euc-kr?b?…?=".
# What is true: it writes the name of one of Python's codecs, "eucgb2312_cn" and "big5_tw". Python reads what it wrote, so a
# test in Python passes. The Encoding Standard, by which TextDecoder and mail pages decode, has no such labels.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
{ apt-get download -qq python3.11-minimal=3.11.2-6+deb12u9 libpython3.11-minimal=3.11.2-6+deb12u9 \
  libpython3.11-stdlib=3.11.2-6+deb12u9 libexpat1 zlib1g &&
  npm install --silent --no-audit --no-fund --no-save node@24.21.0; } >install.log 2>&1 || { cat install.log; exit 1; }
for package in ./*.deb; do dpkg -x "$package" programs; done
library=$(uname -m)-linux-gnu

cat >written.py <<'PY'
from email.header import Header, decode_header, make_header

for charset, text in [("euc-kr", "주문"), ("gb2312", "订单"), ("big5", "訂單")]:
    written = Header(text, charset).encode()
    assert str(make_header(decode_header(written))) == text
    print(written)
PY
LD_LIBRARY_PATH="$folder/programs/usr/lib/$library:$folder/programs/lib/$library" PYTHONHOME="$folder/programs/usr" \
  ./programs/usr/bin/python3.11 -S written.py >written

cat >label.mjs <<'JS'
import { readFileSync } from "node:fs";

for (const word of readFileSync("written", "utf8").trim().split("\n")) {
  const [, charset] = word.split("?");
  try {
    console.log(word, "is", new TextDecoder(charset).encoding);
  } catch (error) {
    console.log(word, "is no charset:", error.name);
  }
}
JS
./node_modules/.bin/node label.mjs | tee seen
diff seen - <<'EXPECTED'
=?euc-kr?b?wda5rg==?= is euc-kr
=?eucgb2312_cn?b?tqm1pQ==?= is no charset: RangeError
=?big5_tw?b?rXGz5g==?= is no charset: RangeError
EXPECTED
