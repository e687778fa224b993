#!/usr/bin/env bash
# nmh 1.8~RC2 (Debian 12): a reply quotes a long line in pieces that break inside words.
#
# Most would guess: a quoted line is the line with "> " before it, at most wrapped between two words.
# What is true: the default filter of `repl` cuts each line at 80 columns, wherever that is, and marks the rest as a line of
# its own: "> …wrote fr" and "> om:". Whoever looks for a sentence of theirs in what is quoted has to compare letters across
# the lines, and can't rely on spaces.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
{ apt-get update && apt-get download nmh=1.8~RC2-2; } >install.log 2>&1 || { cat install.log; exit 1; }
dpkg -x nmh_*.deb nmh

mkdir -p Mail/inbox
cat >profile <<EOF
Path: $folder/Mail
mhlproc: $folder/nmh/usr/lib/mh/mhl
EOF
sentence="Reply to this email, or continue the conversation in the browser you wrote from:"
printf 'From: Shop <shop@shop.example>\nTo: ada@visitor.example\nSubject: Hi\n\n%s\n' "$sentence" >Mail/inbox/1
HOME=$folder MH=$folder/profile "$folder/nmh/usr/bin/mh/repl" -form "$folder/nmh/etc/nmh/replcomps" \
  -filter "$folder/nmh/etc/nmh/mhl.reply" -nowhatnowproc -editor true +inbox 1 </dev/null >repl.log 2>&1 || true
[ -f Mail/draft ] || { cat repl.log; exit 1; }
sed -n '/^-----/,$p' Mail/draft
grep -qx 'Shop writes:' Mail/draft
grep -qx '> Reply to this email, or continue the conversation in the browser you wrote fr' Mail/draft
grep -qx '> om:' Mail/draft
