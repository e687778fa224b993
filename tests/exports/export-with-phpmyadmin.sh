#!/usr/bin/env bash
# Exports the table `users` from the server of the folder $1 into the folder $2, over the pages of Debian's phpMyAdmin.
set -euo pipefail
work=$1
out=$2
port=${PORT:-18431}

cp -r /usr/share/phpmyadmin "$work/phpmyadmin"
cat >"$work/config.inc.php" <<PHP
<?php
\$cfg['blowfish_secret'] = str_repeat('x', 32);
\$cfg['TempDir'] = '$work';
\$cfg['Servers'][1] = ['auth_type' => 'config', 'user' => 'root', 'password' => '', 'AllowNoPassword' => true,
    'host' => 'localhost', 'socket' => '$work/socket'];
PHP
sed -i "s|'configFile' => .*|'configFile' => '$work/config.inc.php',|; s|'tempDir' => .*|'tempDir' => '$work/',|" \
  "$work/phpmyadmin/libraries/vendor_config.php"
php -d error_reporting=0 -d session.save_path="$work" -S "127.0.0.1:$port" -t "$work/phpmyadmin" >"$work/phpmyadmin.log" 2>&1 &
server=$!
trap 'kill "$server"' EXIT
ask() { curl -sS --fail --retry 5 --retry-connrefused --retry-delay 1 -b "$work/cookies" -c "$work/cookies" "$@"; }
page=$(ask "http://127.0.0.1:$port/index.php?route=/database/export&db=panel")
token=$(grep -oP 'name="token" value="\K[^"]+' <<<"$page" | head -1)
export_as() {
  local name=$1 what=$2
  shift 2
  ask "http://127.0.0.1:$port/index.php?route=/export" --data-urlencode "token=$token" -d db=panel -d table=users \
    -d export_type=table -d export_method=custom -d single_table=1 -d quick_or_custom=custom -d asfile=sendit \
    -d output_format=sendit -d filename_template=x -d charset=utf-8 -d compression=none -d "what=$what" \
    -d allrows=1 -d aliases_new= --data-urlencode "sql_query=SELECT * FROM \`users\`" "$@" >"$out/$name"
}
csv() {
  local name=$1 separator=$2 escaped=$3
  export_as "$name" csv --data-urlencode "csv_separator=$separator" --data-urlencode 'csv_enclosed="' \
    --data-urlencode "csv_escaped=$escaped" -d csv_terminated=AUTO -d csv_null=NULL -d csv_columns=something \
    -d csv_structure_or_data=data
}
csv phpmyadmin.csv , '"'
csv phpmyadmin-escaped.csv ';' '\'
export_as phpmyadmin-excel.csv excel -d excel_null=NULL -d excel_edition=win -d excel_columns=something -d excel_structure_or_data=data
export_as phpmyadmin.json json -d json_structure_or_data=data -d json_unicode=something
export_as phpmyadmin.sql sql -d sql_structure_or_data=structure_and_data -d sql_include_comments=something -d sql_type=INSERT -d sql_insert_syntax=both
