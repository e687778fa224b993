#!/usr/bin/env bash
# Writes the users of old-users.sql into the folder $1 as real programs export them. Needs Debian's packages that
# written-exports.nightly.test.ts names. Skips a program that is missing, and says so.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath "$1")
work=$(mktemp -d)
export TMPDIR=$work
# Another account could not reach a temporary folder inside of one that is closed to it.
as=()
[ "$(id -u)" = 0 ] && as=(--user=root)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$work"' EXIT
cd "$work"

PATH=/usr/bin:/usr/sbin:$PATH
has() { command -v "$1" >/dev/null || { echo "skipped: $1 is not installed" >&2; return 1; }; }

mariadb-install-db --no-defaults "${as[@]}" --datadir="$work/data" --auth-root-authentication-method=normal \
  --skip-test-db >install.log 2>&1 || { cat install.log >&2; exit 1; }
mariadbd --no-defaults "${as[@]}" --datadir="$work/data" --socket="$work/socket" --skip-networking \
  --character-set-server=utf8mb4 --innodb-buffer-pool-size=8M --pid-file="$work/pid" >"$work/server.log" 2>&1 &
server=$!
client() { mariadb --no-defaults --socket="$work/socket" --user=root --default-character-set=utf8mb4 "$@"; }
until client -e "select 1" >/dev/null 2>&1; do kill -0 "$server"; sleep 0.2; done
client -e "create database panel"
client panel <"$here/old-users.sql"
# Adminer asks for a password.
client -e "grant all on panel.* to exporter@localhost identified by 'exporter'"
table="select id, email, password, full_name, created_at from users order by id"
columns="'id', 'email', 'password', 'full_name', 'created_at'"

# The client and the server of MariaDB.
client panel -B -e "$table" >"$out/mariadb-batch.tsv"
client panel -B --raw -e "select * from users where full_name not regexp '[\\\\n\\\\t]' or full_name is null" >"$out/mariadb-raw.tsv"
client panel -t -e "$table" >"$out/mariadb-table.txt"
client panel -X -e "$table" >"$out/mariadb.xml"
outfile() {
  client panel -e "select $columns union all (select id, email, password, full_name, created_at from users order by id limit 999)
    into outfile '$work/data/$1' character set ${3:-utf8mb4} $2"
  cp "$work/data/$1" "$out/$1"
}
outfile outfile.txt ""
outfile outfile-comma.csv "fields terminated by ','"
outfile outfile-quoted.csv "fields terminated by ',' optionally enclosed by '\"'"
outfile outfile-doubled.csv "fields terminated by ';' enclosed by '\"' escaped by '\"' lines terminated by '\\r\\n'"
client panel -e "$table into outfile '$work/data/outfile-no-names.txt'"
cp data/outfile-no-names.txt "$out"
printf '[client]\nsocket=%s\n' "$work/socket" >mycli.cnf
my() { HOME="$work" mycli --defaults-file "$work/mycli.cnf" --user root --csv --execute "$table" "$@" panel 2>>mycli.log; }
if has mycli; then
  my >"$out/mycli.csv"
  my --charset utf8mb4 >"$out/mycli-utf8mb4.csv"
fi
has mariadb-dump && mariadb-dump --no-defaults --socket="$work/socket" --user=root --skip-dump-date panel users >"$out/mariadb-dump.sql"
has mariadb-dump && mariadb-dump --no-defaults --socket="$work/socket" --user=root --xml panel users >"$out/mariadb-dump.xml"

# The same rows as JSON, for programs that read no database. CR stays out: most of them take it for a line end.
client panel -N --raw -e "select json_arrayagg(json_object('id', id, 'email', email, 'password', password,
  'full_name', full_name, 'created_at', created_at) order by id) from users" >users.json

# PHP's own writer, which old panels call, and the exports of phpMyAdmin and Adminer.
if has php; then
  cp users.json "$work/in.json"
  php "$here/export-with-php.php" "$work/in.json" "$out"
fi
if [ -d /usr/share/phpmyadmin ]; then bash "$here/export-with-phpmyadmin.sh" "$work" "$out"
else echo "skipped: phpMyAdmin is not installed" >&2; fi
if [ -d /usr/share/adminer ]; then bash "$here/export-with-adminer.sh" "$work" "$out"
else echo "skipped: Adminer is not installed" >&2; fi

if has sqlite3; then
  sqlite3 users.db "create table users (id integer, email text, password text, full_name text, created_at text)"
  sqlite3 users.db "insert into users select value ->> 'id', value ->> 'email', value ->> 'password', value ->> 'full_name',
    value ->> 'created_at' from json_each(readfile('users.json'))"
  sqlite3 -header -csv users.db "select * from users order by id" >"$out/sqlite.csv"
  sqlite3 -header -tabs users.db "select * from users order by id" >"$out/sqlite-tabs.tsv"
  sqlite3 -header -separator ';' users.db "select * from users where full_name not like '%;%' and full_name not like '%' || char(10) || '%'" >"$out/sqlite-list.csv"
  sqlite3 -json users.db "select * from users order by id" >"$out/sqlite.json"
  sqlite3 users.db .dump >"$out/sqlite-dump.sql"
fi

/usr/bin/python3 "$here/export_with_python.py" users.json "$out" || echo "skipped: pandas or openpyxl is not installed" >&2
/usr/bin/python3 "$here/excel_by_description.py" users.json "$out"
/usr/bin/python3 "$here/exports_from_source.py" users.json "$out"
has in2csv && in2csv -f json users.json >"$out/csvkit.csv" && csvformat -T "$out/csvkit.csv" >"$out/csvkit.tsv" &&
  csvformat -D ';' -U 1 "$out/csvkit.csv" >"$out/csvkit-quoted.csv"
if has mlr; then
  mlr --ijson --ocsv cat users.json >"$out/miller.csv"
  mlr --ijson --otsv cat users.json >"$out/miller.tsv"
  mlr --ijson --ojsonl cat users.json >"$out/miller.jsonl"
fi
if has xlsx2csv && [ -f "$out/openpyxl.xlsx" ]; then
  xlsx2csv "$out/openpyxl.xlsx" >"$out/xlsx2csv.csv"
  xlsx2csv --delimiter tab "$out/openpyxl.xlsx" >"$out/xlsx2csv.tsv"
fi
if has ssconvert && [ -f "$out/openpyxl.xlsx" ]; then
  ssconvert "$out/openpyxl.xlsx" "$out/gnumeric.csv" 2>/dev/null
  ssconvert -O 'separator=; quoting-mode=always eol=windows' "$out/openpyxl.xlsx" fd://1 -T Gnumeric_stf:stf_assistant >"$out/gnumeric-quoted.csv" 2>/dev/null
  ssconvert -O 'separator="	" charset=WINDOWS-1252 transliterate-mode=transliterate' -T Gnumeric_stf:stf_assistant "$out/openpyxl.xlsx" fd://1 >"$out/gnumeric-western.txt" 2>/dev/null
fi
if has soffice && [ -f "$out/openpyxl.xlsx" ]; then
  libre() {
    HOME="$work" soffice --headless --convert-to "csv:Text - txt - csv (StarCalc):$2" --outdir "$work/libre" "$out/openpyxl.xlsx" >/dev/null 2>&1
    mv "$work/libre/openpyxl.csv" "$out/$1"
  }
  libre libreoffice.csv "44,34,76,1,,0,false,true,false"
  libre libreoffice-quoted.csv "59,34,76,1,,0,true,true,false"
  libre libreoffice-western.csv "59,34,1,1,,0,false,true,false"
  libre libreoffice-utf16.txt "9,34,65535,1,,0,false,true,false"
fi
