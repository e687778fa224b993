const INSTEAD =
  'Export the users table alone as CSV with the names of its columns, or in the database\'s client: mariadb -B -e "select * from users" DATABASE > users.tsv';

/** How files begin that are no text, and what they are. */
const MARKS: [string, string][] = [
  ["PK\x03\x04", "the file is a workbook or an archive. Open it and save the table as “CSV UTF-8”"],
  ["\xd0\xcf\x11\xe0", "the file is an old Excel workbook. Open it and save the table as “CSV UTF-8”"],
  ["\x1f\x8b", "the file is compressed. Unpack it first: gunzip FILE"],
];

/** How files begin that hold no table in rows, and what they are. */
const BEGINNINGS: [RegExp, string][] = [
  [/^(?:--|\/\*|begin\b|create |insert |set |drop |use |lock |pragma )/i, `the file is a dump in SQL. ${INSTEAD}`],
  [/^</, `the file is XML or HTML. ${INSTEAD}`],
  [/^\+-+\+/, `the file is a table drawn for a terminal, which pads texts. ${INSTEAD}`],
  [/^(?:[^\n]*\n---\r?\n)?\|/, `the file is a table drawn with bars, as in Markdown. ${INSTEAD}`],
  [/^\*{5,}/, `the file is a list of rows drawn for a terminal. ${INSTEAD}`],
];

/** Throws if a file is of a kind that can't be read, and says how to export instead. */
export function refuseUnreadable(bytes: Buffer): void {
  const start = bytes.subarray(0, 1000).toString("latin1");
  const [, why] =
    MARKS.find(([mark]) => start.startsWith(mark)) ??
    BEGINNINGS.find(([beginning]) => beginning.test(start.trimStart())) ??
    [];
  if (why !== undefined) throw new Error(why);
}
