#!/usr/bin/env bash
# Exports the table `users` from the server of the folder $1 into the folder $2, over the pages of Debian's Adminer.
set -euo pipefail
work=$1
out=$2
port=${PORT:-18432}

mkdir "$work/adminer"
cat >"$work/adminer/index.php" <<'PHP'
<?php
function adminer_object() {
    include_once "/usr/share/adminer/plugins/plugin.php";
    include_once "/usr/share/adminer/plugins/dump-json.php";
    include_once "/usr/share/adminer/plugins/version-noverify.php";
    return new AdminerPlugin([new AdminerDumpJson(), new AdminerVersionNoverify()]);
}
include "/usr/share/adminer/adminer.php";
PHP
php -d error_reporting=0 -d session.save_path="$work" -S "127.0.0.1:$port" -t "$work/adminer" >"$work/adminer.log" 2>&1 &
server=$!
trap 'kill "$server"' EXIT
ask() { curl -sS --fail --retry 5 --retry-connrefused --retry-delay 1 -b "$work/adminer/cookies" -c "$work/adminer/cookies" "$@"; }
ask -o "$work/adminer/login" "http://127.0.0.1:$port/" -d 'auth[driver]=server' \
  --data-urlencode "auth[server]=localhost:$work/socket" -d 'auth[username]=exporter' -d 'auth[password]=exporter' -d 'auth[db]=panel'
page="http://127.0.0.1:$port/?server=localhost:$work/socket&username=exporter&db=panel&dump=users"
token=$(ask "$page" | grep -oP "name=['\"]token['\"] value=['\"]\K[^'\"]+" | head -1)
export_as() {
  ask "$page" --data-urlencode "token=$token" -d output=file --data-urlencode "format=$2" -d db_style= -d table_style=CREATE \
    -d data_style=INSERT -d 'tables[]=users' -d 'data[]=users' >"$out/$1"
}
export_as adminer.csv csv
export_as adminer-semicolons.csv 'csv;'
export_as adminer.tsv tsv
export_as adminer.json json
export_as adminer.sql sql
