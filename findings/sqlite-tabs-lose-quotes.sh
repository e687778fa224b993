#!/usr/bin/env bash
# sqlite3 3.40.1 (Debian 12): `-tabs` writes cells as they are and `.import` in the same mode takes quotes out of them.
#
# Most would guess: the mode for tabs is the mode for CSV with another separator, so what it writes, it reads.
# What is true: it quotes nothing and escapes nothing when it writes. When it reads, a quote at the start of a cell opens a
# quoted one. A name in quotes loses them, and a tab in a name moves the cells after it: half the name is stored as the hash,
# the hash is dropped, and only a line on stderr says so. `-csv` returns both.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2 libreadline8 >install.log 2>&1 ||
  { cat install.log; exit 1; }
for package in ./*.deb; do dpkg -x "$package" programs; done
export LD_LIBRARY_PATH="$folder/programs/usr/lib/$(uname -m)-linux-gnu:$folder/programs/lib/$(uname -m)-linux-gnu"
sqlite=./programs/usr/bin/sqlite3

"$sqlite" users.db "create table users (id, name, hash)" \
  "insert into users values (1, '\"Al\"', 'h1'), (2, 'Bo' || char(9) || 'Ray', 'h2')"
"$sqlite" --version
for mode in tabs csv; do
  "$sqlite" "-$mode" users.db "select * from users" >"users.$mode"
  "$sqlite" copy.db "drop table if exists users" "create table users (id, name, hash)" ".mode $mode" \
    ".import users.$mode users" 2>"stderr.$mode"
  echo "$mode: $("$sqlite" -json copy.db "select name, hash from users" | tr -d '\n')"
done | tee seen
diff seen - <<'EXPECTED'
tabs: [{"name":"Al","hash":"h1"},{"name":"Bo","hash":"Ray"}]
csv: [{"name":"\"Al\"","hash":"h1"},{"name":"Bo\tRay","hash":"h2"}]
EXPECTED
