#!/usr/bin/env bash
# MariaDB 10.11.19 (Debian 12): INTO OUTFILE with ENCLOSED BY '"' ESCAPED BY '"' writes no CSV.
#
# Most would guess: quotes are doubled inside quoted cells, as in any CSV, so that a spreadsheet reads the file.
# What is true: ESCAPED BY names the character before everything that the server escapes, not only before a quote. With
# lines that end in \r\n, each carriage return in a text gets a quote before it, which ends the cell there. A missing value
# is written as "N, a quote that nothing closes: a reader of CSV takes what follows into that cell.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 777 "$folder"
apt-get download -qq mariadb-server-core=1:10.11.19-0+deb12u1 libaio1 libnuma1 libssl3 liburing2 >install.log 2>&1 ||
  { cat install.log; exit 1; }
for package in ./*.deb; do dpkg -x "$package" programs; done
export LD_LIBRARY_PATH="$folder/programs/usr/lib/$(uname -m)-linux-gnu:$folder/programs/lib/$(uname -m)-linux-gnu"

mkdir data
cat >statements.sql <<'SQL'
create database panel;
use panel;
create table users (id int, name varchar(50), day date);
insert into users values (1, 'Bob "Bo" Ray', '2020-01-01'), (2, 'Old\rMac', '2020-01-02'), (3, null, '2020-01-03');
select * from users into outfile 'FOLDER/users.csv' fields terminated by ',' enclosed by '"' escaped by '"' lines terminated by '\r\n';
SQL
sed -i "s|FOLDER|$folder|" statements.sql
# Runs statements without a client, and needs no tables of its own.
./programs/usr/sbin/mariadbd --no-defaults --bootstrap --user="$(id -un)" --datadir="$folder/data" \
  --lc-messages-dir="$folder/programs/usr/share/mysql" --character-sets-dir="$folder/programs/usr/share/mysql/charsets" \
  --innodb-buffer-pool-size=8M <statements.sql >server.log 2>&1 || { cat server.log; exit 1; }
./programs/usr/sbin/mariadbd --version
cat -A users.csv
diff <(cat -A users.csv) - <<'EXPECTED'
"1","Bob ""Bo"" Ray","2020-01-01"^M$
"2","Old"^MMac","2020-01-02"^M$
"3","N,"2020-01-03"^M$
EXPECTED
