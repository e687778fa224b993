#!/usr/bin/env bash
# Evolution 3.46.4 and Roundcube 1.6.5 (Debian 12): in some languages the line above a quotation names neither sender nor date.
#
# Most would guess: each translation of "On $date, $sender wrote:" is filled in with the sender and the date, so the line can be
# known by them in any language.
# What is true: translators translated the placeholders too. Evolution in Hindi and Dzongkha and Roundcube in Macedonian and
# Uyghur have none that the program knows, and write them as they are: "На $дата,$праќач напиша:". And Thunderbird in Japanese
# writes this line in English.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
{ apt-get update && apt-get download evolution-common=3.46.4-2+deb12u1 \
  roundcube-core=1.6.5+dfsg-1+deb12u13 thunderbird-l10n-ja=1:153.8.0esr-1~deb12u1; } >install.log 2>&1 ||
  { cat install.log; exit 1; }
for package in *.deb; do dpkg -x "$package" files; done

cat >lines.py <<'PY'
import gettext, glob, re, zipfile

def evolution(language):
    with open(f"files/usr/share/locale/{language}/LC_MESSAGES/evolution.mo", "rb") as file:
        catalog = gettext.GNUTranslations(file)._catalog
    return next(text for key, text in catalog.items() if isinstance(key, str) and key.endswith("${Sender} wrote:"))

def roundcube(language):
    with open(f"files/usr/share/roundcube/program/localization/{language}/labels.inc", encoding="utf8") as file:
        return re.search(r"\['mailreplyintro'\] = '(.*)';", file.read())[1]

for language, named in (("fi", True), ("hi", False), ("dz", False)):
    line = evolution(language)
    print("Evolution", language, line)
    assert ("${Sender}" in line) == named
for language, named in (("fi_FI", True), ("mk_MK", False), ("ug", False)):
    line = roundcube(language)
    print("Roundcube", language, line)
    assert ("$sender" in line and "$date" in line) == named
with zipfile.ZipFile(glob.glob("files/usr/lib/thunderbird/extensions/*.xpi")[0]) as pack:
    name = next(name for name in pack.namelist() if name.endswith("messengercompose/composeMsgs.properties"))
    line = re.search(r"reply_header_ondateauthorwrote\s*=\s*(.*)", pack.read(name).decode())[1].strip()
print("Thunderbird ja", line)
assert re.fullmatch(r"On #2 #3, #1 wrote:", line)
PY
python3 lines.py
