"""Writes users (argv[1], JSON) into the folder argv[2] as Excel is documented to, because Excel can't run here.

Sources in words: Microsoft's pages on import and export of text files; "CSV UTF-8" with a byte order mark since Excel 2016,
CSV in the Windows code page, "Unicode Text" as UTF-16LE with tabs; the list separator of the region (a semicolon in German);
`sep=` lines in threads of csv-parse, Papa Parse and SheetJS.
"""

import json
import sys

source, folder = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    users = json.load(file)


def written(separator: str, quoted_marks: str) -> str:
    rows = [list(users[0])] + [[str(cell if cell is not None else "") for cell in user.values()] for user in users]
    # A cell of a workbook holds line feeds only.
    rows = [[cell.replace("\r\n", "\n").replace("\r", "\n") for cell in row] for row in rows]

    def cell_text(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in quoted_marks) else cell

    return "".join(separator.join(map(cell_text, row)) + "\r\n" for row in rows)


def save(name: str, text: str, encoding: str) -> None:
    with open(f"{folder}/{name}", "wb") as file:
        file.write(text.encode(encoding, "replace"))


save("excel-utf8.csv", written(",", ',"\n'), "utf-8-sig")
save("excel-german.csv", written(";", ';"\n'), "cp1252")
save("excel-separator-line.csv", "sep=;\r\n" + written(";", ';"\n'), "utf-8")
save("excel-unicode-text.txt", written("\t", '\t,"\n'), "utf-16")
