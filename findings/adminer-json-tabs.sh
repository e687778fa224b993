#!/usr/bin/env bash
# Adminer 4.8.1 (Debian 12) with its plugin dump-json: the JSON of a table with a tab in a text is no JSON.
#
# Most would guess: an export to JSON can be read by any JSON parser, whatever the texts hold.
# What is true: the plugin escapes quotes, backslashes, slashes, line feeds and carriage returns, but a tab is written as it
# is, which JSON forbids inside a text. PHP's own parser refuses the whole file, and one tab in one row is enough.
set -euo pipefail

folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq adminer=4.8.1-1 php8.2-cli=8.2.36-1~deb12u1 php8.2-sqlite3=8.2.36-1~deb12u1 php8.2-common=8.2.36-1~deb12u1 \
  libargon2-1 libicu72 libsodium23 libsqlite3-0 libssl3 libxml2 >install.log 2>&1 || { cat install.log; exit 1; }
for package in ./*.deb; do dpkg -x "$package" programs; done
export LD_LIBRARY_PATH="$folder/programs/usr/lib/$(uname -m)-linux-gnu"
php() {
  ./programs/usr/bin/php8.2 -n -d extension_dir="$(echo "$folder"/programs/usr/lib/php/2022*)" -d extension=sqlite3.so \
    -d error_reporting=0 -d session.save_path="$folder" "$@"
}

mkdir pages
cat >pages/index.php <<'PHP'
<?php
function adminer_object() {
    $programs = dirname(__DIR__) . "/programs/usr/share/adminer";
    foreach (["plugin", "dump-json", "login-password-less", "version-noverify"] as $name) include_once "$programs/plugins/$name.php";
    $login = new AdminerLoginPasswordLess(password_hash("example", PASSWORD_DEFAULT));
    return new AdminerPlugin([$login, new AdminerDumpJson(), new AdminerVersionNoverify()]);
}
include dirname(__DIR__) . "/programs/usr/share/adminer/adminer.php";
PHP
php -r '$db = new SQLite3("users.db"); $db->exec("create table users (id integer, name text)");
  $db->exec("insert into users values (1, \"Ann\"), (2, \"Tab\tTown\")");'
port=${PORT:-18433}
php -S "127.0.0.1:$port" -t pages >server.log 2>&1 &
server=$!
ask() { curl -sS --fail --retry 10 --retry-connrefused --retry-delay 1 -b cookies -c cookies "$@"; }
ask -o login "http://127.0.0.1:$port/" -d 'auth[driver]=sqlite' -d 'auth[server]=' -d 'auth[username]=' -d 'auth[password]=example' \
  --data-urlencode "auth[db]=$folder/users.db" 2>/dev/null
page="http://127.0.0.1:$port/?sqlite=&username=&db=$folder/users.db&dump=users"
token=$(ask "$page" | grep -oP "name=['\"]token['\"] value=['\"]\K[^'\"]+" | head -1)
ask "$page" --data-urlencode "token=$token" -d output=file -d format=json -d data_style=INSERT -d 'data[]=users' >users.json

cat users.json
php -r 'json_decode(file_get_contents("users.json")); echo json_last_error_msg(), "\n";
  json_decode(str_replace("Tab\tTown", "Tab\\tTown", file_get_contents("users.json"))); echo json_last_error_msg(), "\n";' | tee seen
grep -qP 'Tab\tTown' users.json
diff seen - <<'EXPECTED'
Control character error, possibly incorrectly encoded
No error
EXPECTED
