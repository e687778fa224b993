"""Writes users (argv[1], JSON) into the folder argv[2] as Excel is described to, because Excel can't run here.

Sources in words, read in November 2026:
- The list separator of the region between cells, in "CSV UTF-8", too: threads of ng-csv, Contao and csv2rw from Germany.
- "CSV UTF-8" with a byte order mark since 16.0.7466 (2016): a thread of vscode-mssql. Windows-1252 on Windows, Mac OS Roman on a
  Mac in plain "CSV", "_" for what it lacks: two blogs on encodings of CSV, and a university's page on Excel's text files.
- CR between rows on a Mac: threads of jquery-csv, csv-conduit, node-byline (Excel 2011, 14.2.5) and read-csv.
- LF within a cell everywhere: a blog of 2008. Quotes around cells with a comma, also in tabbed text: a thread of libpalaso.
- "Unicode Text" as UTF-16LE with tabs: threads of CHCSVParser and data-manager-app.
- A first line `sep=;`: threads of ng-csv, Contao (in UTF-16LE) and export-to-csv. Excel reads that line, and never writes it.
Not found: what Excel on Windows writes for an emoji in Windows-1252 (here "?"), and for cells with blanks at their ends.
"""

import codecs
import json
import sys

source, folder = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    users = json.load(file)


def written(separator: str, quoted_marks: str, ending: str = "\r\n", exported=users) -> str:
    rows = [list(users[0])] + [[str(cell if cell is not None else "") for cell in user.values()] for user in exported]
    # A cell of a workbook holds line feeds only.
    rows = [[cell.replace("\r\n", "\n").replace("\r", "\n") for cell in row] for row in rows]

    def cell_text(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in quoted_marks) else cell

    return "".join(separator.join(map(cell_text, row)) + ending for row in rows)


def save(name: str, text: str, encoding: str, lacking: str = "?") -> None:
    codecs.register_error("lacking", lambda error: (lacking, error.end))
    with open(f"{folder}/{name}", "wb") as file:
        file.write(text.encode(encoding, "lacking"))


save("excel-utf8.csv", written(",", ',"\n'), "utf-8-sig")
save("excel-german-utf8.csv", written(";", ';"\n'), "utf-8-sig")
save("excel-german.csv", written(";", ';"\n'), "cp1252")
save("excel-dos.csv", written(";", ';"\n'), "cp850")
save("excel-mac.csv", written(",", ',"\n', "\r"), "mac_roman", "_")
save("excel-mac-english.csv", written(",", ',"\n', "\r", [user for user in users if (user["full_name"] or "").isascii()]), "ascii")
save("excel-separator-line.csv", "sep=;\r\n" + written(";", ';"\n'), "utf-8")
save("excel-separator-line-utf16.csv", "sep=;\n" + written(";", ';"\n'), "utf-16")
save("excel-unicode-text.txt", written("\t", '\t,"\n'), "utf-16")
