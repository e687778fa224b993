"""Writes users (argv[1], JSON) into the folder argv[2] as programs do that can't run here, by what their source does.

Read in November 2026: HeidiSQL's grid export (July 2026: its defaults, "Excel CSV" and "Delimited text"), DBeaver's exporters
of CSV (2024) and JSON (2018), MySQL Workbench 8.0's result grid templates and its Table Data Export Wizard (December 2023).
"""

import csv
import io
import json
import re
import sys

source, folder = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    users = json.load(file)
names = list(users[0])


def save(name: str, text: str, encoding: str = "utf-8") -> None:
    with open(f"{folder}/{name}", "wb") as file:
        file.write(text.encode(encoding))


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def table(separator: str, ending: str, heading, cell, rows=users) -> str:
    """`heading` and `cell` return what stands between separators for a name and for a value."""
    lines = [[heading(name) for name in names]] + [[cell(value) for value in row.values()] for row in rows]
    return "".join(separator.join(line) + ending for line in lines)


def without(pattern: str) -> list[dict]:
    return [user for user in users if not re.search(pattern, user["full_name"] or "")]


# HeidiSQL encloses every cell but a missing one, or none at all by default, where rows with a separator or a line break are cut.
save("heidisql-excel.csv", table(";", "\r\n", quoted, lambda value: r"\N" if value is None else quoted(str(value))), "utf-8-sig")
save("heidisql-delimited.csv", table(";", "\r\n", str, lambda value: r"\N" if value is None else str(value), without(r"[;\n]")))
objects = [",\r\n".join(f"\t\t\t{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in user.items()) for user in users]
save("heidisql.json", '{\r\n\t"table": "users",\r\n\t"rows":\r\n\t[' + ",".join("\r\n\t\t{\r\n" + each + "\r\n\t\t}" for each in objects) + "\r\n\t]\r\n}")

markdown = table(" | ", "\r\n", str, lambda value: r"\N" if value is None else str(value)).split("\r\n", 1)
save("heidisql.md", f"users\r\n---\r\n| {markdown[0]} | \r\n| ---: | --- | --- | --- | --- | \r\n" + re.sub(r"(?m)^(?=\d)", "| ", markdown[1]).replace("\r\n", " | \r\n"))
save("heidisql.textile", "|_. " + " |_. ".join(names) + " |\r\n" + "".join("|" + " | ".join(str(value or "") for value in user.values()) + " |\r\n" for user in users))


# DBeaver encloses texts that begin with a digit or are empty, and writes nothing for a missing value.
def dbeaver(value) -> str:
    if value is None or isinstance(value, int):
        return "" if value is None else str(value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", value):
        return value + ".000"
    return quoted(value) if value == "" or value[0].isdigit() or re.search('[",\r\n]', value) else value


save("dbeaver.csv", table(",", "\r\n", quoted, dbeaver))
iso = [{**user, "created_at": user["created_at"].replace(" ", "T") + "Z"} for user in users]
save("dbeaver.json", '{\n"users": ' + json.dumps(iso, ensure_ascii=False, indent="\t", separators=(",", " : ")) + "}\n")


# Workbench's grid: cells with a blank are enclosed, and with tabs between cells only those that have a tab.
def grid(marks: str):
    return lambda value: "NULL" if value is None else quoted(str(value)) if any(mark in str(value) for mark in marks) else str(value)


save("workbench.csv", table(",", "\n", str, grid(' "\t\r\n,')))
save("workbench-semicolons.csv", table(";", "\n", str, grid(' "\t\r\n;')))
save("workbench-tabs.txt", table("\t", "\n", str, grid("\t"), without("\n")))
save("workbench.json", "[\n" + ",".join("\t{\n" + ",\n".join(f'\t\t"{name}" : {json.dumps(value, ensure_ascii=False)}' for name, value in user.items()) + "\n\t}" for user in users) + "]\n")


# Workbench's wizard is csv.writer of Python. On Windows it writes the encoding and the line ends of Windows.
def wizard(rows: list[dict]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=";", lineterminator="\n", quotechar='"', quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([names, *[["" if value is None else value for value in row.values()] for row in rows]])
    return text.getvalue()


save("workbench-wizard.csv", wizard(users))
save("workbench-wizard-windows.csv", wizard(without("[\u0300-\u036f\U0001f300-\U0001faff]")).replace("\n", "\r\n"), "cp1252")
rows = [", ".join(f'"{name}":{json.dumps("" if value is None else value)}' for name, value in user.items()) for user in users]
save("workbench-wizard.json", "[" + ",\n ".join("{" + row + "}" for row in rows) + "]")
