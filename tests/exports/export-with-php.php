<?php
// Writes users ($argv[1], JSON) into the folder $argv[2] with PHP's own fputcsv, as exports of old panels do.
[, $from, $folder] = $argv;
$users = json_decode(file_get_contents($from), true, 512, JSON_THROW_ON_ERROR);
$variants = [
    "php-fputcsv.csv" => [",", "\\", fn(string $text) => $text],
    "php-fputcsv-semicolons.csv" => [";", "\\", fn(string $text) => $text],
    "php-fputcsv-no-escape.csv" => [",", "", fn(string $text) => $text],
];
foreach ($variants as $name => [$separator, $escape, $encode]) {
    $file = fopen("$folder/$name", "w");
    fputcsv($file, array_keys($users[0]), $separator, '"', $escape);
    foreach ($users as $user) fputcsv($file, $user, $separator, '"', $escape);
    fclose($file);
}
file_put_contents("$folder/php-json.json", json_encode($users));
