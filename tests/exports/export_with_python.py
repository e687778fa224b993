"""Writes users (argv[1], JSON) into the folder argv[2] with pandas, and as a workbook with openpyxl."""

import csv
import json
import sys

import openpyxl
import pandas

source, folder = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    users = json.load(file)
frame = pandas.DataFrame(users)
frame.to_csv(f"{folder}/pandas.csv", index=False)
frame.to_csv(f"{folder}/pandas-escaped.csv", index=False, escapechar="\\", doublequote=False)
frame.to_csv(f"{folder}/pandas-tabs.tsv", index=False, sep="\t", na_rep="NULL")
frame.to_csv(f"{folder}/pandas-utf16.txt", index=False, sep="\t", encoding="utf-16")
frame.to_csv(f"{folder}/pandas-all-quoted.csv", index=False, quoting=csv.QUOTE_ALL, encoding="utf-8-sig", sep=";")
frame.to_json(f"{folder}/pandas.jsonl", orient="records", lines=True)
frame.to_csv(f"{folder}/pandas-western.csv", index=False, encoding="cp1252", errors="replace", sep=";")

workbook = openpyxl.Workbook()
sheet = workbook.active
sheet.append(list(users[0]))
for user in users:
    # A workbook holds no control characters but line feeds and tabs.
    cells = [value if not isinstance(value, str) else value.replace("\r", "") for value in user.values()]
    sheet.append(cells)
for row in sheet.iter_rows():
    for cell in row:
        if cell.data_type == "f":
            cell.data_type = "s"
workbook.save(f"{folder}/openpyxl.xlsx")
