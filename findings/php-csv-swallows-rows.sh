#!/usr/bin/env bash
# PHP 8.2.36 (Debian 12): fgetcsv doesn't read what fputcsv wrote, and joins two rows without a warning.
#
# Most would guess: with the same arguments, fgetcsv returns the rows that fputcsv was given.
# What is true: fputcsv writes a text that ends in a backslash as "ends with \", which is right CSV. fgetcsv takes \" for an
# escaped quote, so the cell goes on through the next rows. Of two rows with three cells, one with two is left. With
# `escape: ""` both functions write and read CSV.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq php8.2-cli=8.2.36-1~deb12u1 libargon2-1 libicu72 libsodium23 libssl3 libxml2 >install.log 2>&1 ||
  { cat install.log; exit 1; }
for package in ./*.deb; do dpkg -x "$package" programs; done
export LD_LIBRARY_PATH="$folder/programs/usr/lib/$(uname -m)-linux-gnu"

cat >rows.php <<'PHP'
<?php
$rows = [["ann", "ends with \\", "h1"], ["bob", "Bo", "h2"]];
foreach (["\\", ""] as $escape) {
    $file = fopen("php://memory", "w+");
    foreach ($rows as $row) fputcsv($file, $row, escape: $escape);
    rewind($file);
    $read = [];
    while ($row = fgetcsv($file, escape: $escape)) $read[] = count($row);
    printf("escape %-4s cells of the rows: %s\n", json_encode($escape), json_encode($read));
}
PHP
php=./programs/usr/bin/php8.2
"$php" -n -v | head -1
"$php" -n rows.php | tee seen
diff seen - <<'EXPECTED'
escape "\\" cells of the rows: [2]
escape ""   cells of the rows: [3,3]
EXPECTED
