import { expect, test } from "vitest";
import { MASS_MAX_LINES, readMassLines } from "./mass-lines.server.ts";

function rows(text: string) {
  const read = readMassLines(text);
  if (!read.ok) throw new Error(read.text);
  return read.rows.map(({ line, service, fields }) => ({ line, service, ...fields }));
}

test("reads typed lines with any spacing, and counts blank ones", () => {
  expect(rows('1 | https://x.example/a | 100\r\n\r\n  2|https://x.example/b?q="1"|  50 \n')).toEqual([
    { line: 1, service: "1", link: "https://x.example/a", quantity: "100" },
    { line: 3, service: "2", link: 'https://x.example/b?q="1"', quantity: "50" },
  ]);
});

test("reads a CSV with commas, semicolons or tabs, with and without column names in any order", () => {
  const wanted = [{ line: 2, service: "7", link: "https://x.example/a,b", quantity: "10" }];
  expect(rows('service,link,quantity\n7,"https://x.example/a,b",10')).toEqual(wanted);
  expect(rows("\ufeffQty;URL;Service ID\r\n10;https://x.example/a,b;7\r\n")).toEqual(wanted);
  expect(rows("7\thttps://x.example/a,b\t10")).toEqual([{ ...wanted[0], line: 1 }]);
});

test("reads the separator that Excel's first line states, which counts as a line", () => {
  const wanted = [{ line: 3, service: "7", link: "https://x.example/a,b", quantity: "10" }];
  expect(rows("sep=;\r\nservice;link;quantity\r\n7;https://x.example/a,b;10\r\n")).toEqual(wanted);
  expect(rows('\ufeff"sep=;"\nquantity;link;service\n10;https://x.example/a,b;7')).toEqual(wanted);
});

test("splits no link at a mark that it holds", () => {
  const link = "https://x.example/a;b=1,2|3";
  const wanted = [{ line: 1, service: "7", link: "https://x.example/a;b=1", quantity: "10" }];
  expect(rows("7,https://x.example/a;b=1,10")).toEqual(wanted);
  expect(rows("7\thttps://x.example/a;b=1\t10")).toEqual(wanted);
  expect(rows(`"7"\t${link}\t10`)).toEqual([{ line: 1, service: "7", link, quantity: "10" }]);
  expect(rows(`service,link,quantity\n7,"${link}",10`)).toEqual([{ line: 2, service: "7", link, quantity: "10" }]);
});

test("keeps links alone whole, in the column of links", () => {
  expect(rows("https://x.example/a;b\nhttps://x.example/c,d\n")).toEqual([
    { line: 1, service: "", link: "https://x.example/a;b" },
    { line: 2, service: "", link: "https://x.example/c,d" },
  ]);
  expect(readMassLines("Link\nhttps://x.example/a;b")).toMatchObject({
    ok: false,
    text: "The first line names the columns, but “service” is missing.",
  });
});

test("marks a line with a character that could not be decoded", () => {
  const read = readMassLines("service,link,quantity\n7,https://x.example/\ufffd,5\n7,https://x.example/b,5");
  expect(read.ok && read.rows.map(({ hasLostText }) => hasLostText)).toEqual([true, false]);
});

test("reads any order field as a column, and cells of several lines", () => {
  expect(rows('service,link,comments\n3,https://x.example,"first\nsecond"\n4,https://y.example,third')).toEqual([
    { line: 2, service: "3", link: "https://x.example", comments: "first\nsecond" },
    { line: 4, service: "4", link: "https://y.example", comments: "third" },
  ]);
});

test("reports unknown columns and marks lines with too many cells", () => {
  const read = readMassLines("service,link,quantity,color\n1,https://x.example,5,red,blue");
  expect(read).toMatchObject({ ok: true, ignoredColumns: ["color"], rows: [{ tooManyCells: true }] });
});

test.each([",", ";", "\t", "|"])("ignores empty cells beyond the thousandth between %j", (delimiter) => {
  const lines = [
    ["service", "link", "quantity"],
    ["1", "https://x.example", "5"],
    ["2", "https://y.example", "6"],
  ];
  const text = (width: number) =>
    lines.map((cells) => cells.join(delimiter) + `${delimiter} `.repeat(width - cells.length)).join("\n");
  for (const width of [1000, 1001, 1002, 1500]) {
    const read = readMassLines(text(width));
    expect(read, String(width)).toMatchObject({ ok: true, ignoredColumns: [] });
    expect(read.ok && read.rows.map(({ tooManyCells }) => tooManyCells), String(width)).toEqual([false, false]);
    const [, ...typed] = text(width).split("\n");
    expect(readMassLines(typed.join("\n")), String(width)).toMatchObject({
      ok: true,
      rows: [{ tooManyCells: false }, {}],
    });
  }
});

test("marks a line with a cell beyond the thousandth", () => {
  const read = readMassLines(`1,https://x.example,5${",".repeat(1200)}blue`);
  expect(read).toMatchObject({ ok: true, rows: [{ tooManyCells: true }] });
});

test("explains why a text cannot be read as lines", () => {
  expect(readMassLines(" \n\n")).toMatchObject({ ok: false, text: expect.stringContaining("no lines") });
  expect(readMassLines("service,link,quantity\n")).toMatchObject({
    ok: false,
    text: expect.stringContaining("no orders"),
  });
  expect(readMassLines("link,quantity\nhttps://x.example,1")).toMatchObject({
    ok: false,
    text: expect.stringContaining("service"),
  });
  expect(readMassLines('1,"https://x.example,5\n2,a,3')).toMatchObject({
    ok: false,
    text: expect.stringContaining("quote"),
  });
  const many = "1 | https://x.example | 1\n".repeat(MASS_MAX_LINES + 1);
  expect(readMassLines(many)).toMatchObject({ ok: false, text: expect.stringContaining("at most 5,000") });
  expect(readMassLines(many.slice(0, -26))).toMatchObject({ ok: true });
});

test("refuses two columns that mean the same, by their names", () => {
  const refusal = (header: string) => {
    const read = readMassLines(`${header}\n1,2,https://x.example,100`);
    return read.ok ? null : read.text;
  };
  expect(refusal("id,service,link,quantity")).toBe("Columns “id” and “service” both mean the service. Keep one.");
  expect(refusal("service,Quantity,link,Amount")).toBe(
    "Columns “Quantity” and “Amount” both mean the quantity. Keep one.",
  );
  expect(refusal("service,link,URL,qty")).toBe("Columns “link” and “URL” both mean the link. Keep one.");
  expect(refusal("service,link,link,qty")).toBe("Columns “link” and “link” both mean the link. Keep one.");
  expect(refusal("service,Answer number,answer_number,link")).toContain("both mean the answer number");
  expect(refusal("service,notes,link,quantity")).toBeNull();
});
