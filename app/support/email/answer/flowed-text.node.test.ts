import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { answerText } from "./answer-text.ts";
import { declareFixed, unfold } from "./flowed-text.ts";

const TYPE = "Content-Type: text/plain; charset=UTF-8; format=flowed";
const bytesOf = (lines: string[]) => Uint8Array.from(Buffer.from(lines.map((line) => `${line}\r\n`).join(""), "utf8"));

/** Returns the answer in an email of these lines, as the mail handler reads it. */
async function answerIn(lines: string[]): Promise<string> {
  const raw = bytesOf(lines);
  const flow = declareFixed(raw);
  const { text = "" } = await PostalMime.parse(raw);
  return answerText({ text: flow ? unfold(text, flow) : text });
}

test("keeps the typed line below a quoted one that ends with a space, as alpine writes it", async () => {
  const quoted = ["> Have they arrived?", "> "];
  const typed = ["Yes, all but one.", "Please refill that one."];
  expect(await answerIn([TYPE, "", ...quoted, ...typed])).toBe(typed.join("\n"));
  expect(await answerIn([TYPE, "", ...quoted, "Yes."])).toBe("Yes.");
  expect(await answerIn([TYPE, "", ...typed, "", "> Have they", ">", ">> no ", "> yes "])).toBe(typed.join("\n"));
});

test("keeps a typed line that ends with a space above the line that starts a quotation", async () => {
  const line = "On Mon, Nov 23, 2026 at 9:05 AM Shop <shop@shop.example> wrote:";
  expect(await answerIn([TYPE, "", "It is ", "4711. ", line, "> Which order?"])).toBe("It is 4711.");
  expect(await answerIn([TYPE, "", "It is 4711. ", line, "", "> Which order?"])).toBe("It is 4711.");
});

test("keeps a typed line that starts with a quotation's mark", async () => {
  expect(await answerIn([TYPE, "", "How many?", " > 100 likes", "", "> Which order?"])).toBe(
    "How many?\n  > 100 likes",
  );
});

test.for<[name: string, lines: string[], deletesSpaces: boolean, expected: string[]]>([
  ["joins a paragraph", ["It is order ", "4711.", "Thanks"], false, ["It is order 4711.", "Thanks"]],
  ["joins without the spaces", ["注文は ", "4711です。"], true, ["注文は4711です。"]],
  ["removes stuffing", [" From here", "  two", " > no quotation"], false, ["From here", " two", "  > no quotation"]],
  ["ends a paragraph where the depth changes", ["> a ", "b ", ">> c ", ">> d "], false, ["> a ", "b ", ">> c d "]],
  ["ends a paragraph before and after a signature", ["Yes ", "-- ", "Ada "], false, ["Yes ", "-- ", "Ada "]],
  ["keeps empty lines", ["> a ", "> ", "", "b"], false, ["> a ", "", "b"]],
  ["unfolds what is quoted", ["> Which ", "> order?"], false, ["> Which order?"]],
])("%s", ([, lines, deletesSpaces, expected]) => {
  expect(unfold(lines.join("\n"), { deletesSpaces })).toBe(expected.join("\n"));
});

test("reads the parameters of one part and of several, folded, quoted and in any case", async () => {
  const typed = ["It is order ", "4711."];
  for (const [type, expected] of [
    [["content-type: TEXT/Plain; FORMAT=Flowed"], "It is order 4711."],
    [["Content-Type: text/plain; charset=us-ascii;", '\tformat="flowed"; delsp=yes'], "It is order4711."],
    [["Content-Type: text/plain; charset=utf-8", "X-Other: a; format=flowed"], "It is order\n4711."],
  ] as const) {
    expect(await answerIn([...type, "", ...typed])).toBe(expected);
    const parts = ["--b=1", ...type, "", ...typed, "--b=1", "Content-Type: text/html", "", "<p>It", "--b=1--"];
    expect(await answerIn(['Content-Type: multipart/alternative; boundary="b=1"', "", ...parts])).toBe(expected);
  }
});

test("decodes the transfer encoding and charset that a flowed part declares", async () => {
  const type = "Content-Type: text/plain; charset=iso-8859-1; format=flowed";
  const encoded = ["Content-Transfer-Encoding: quoted-printable", "", "Sch=F6n, die=20", "4711.=20", "> Wo?"];
  expect(await answerIn([type, ...encoded])).toBe("Schön, die 4711.");
  const base64 = Buffer.from("> Wo? \r\nSchön \r\nda", "latin1").toString("base64");
  expect(await answerIn([type, "Content-Transfer-Encoding: base64", "", base64])).toBe("Schön da");
});

test("changes no letter of a text that shows such a header, or a boundary of another email", async () => {
  const shown = ["--b", "Content-Type: text/plain; format=flowed", "", "Does it fold?"];
  const expected = shown.join("\n");
  expect(await answerIn(["Content-Type: text/plain", "", ...shown])).toBe(expected);
  const raw = ["Content-Type: multipart/mixed; boundary=a", "", "--a", "", ...shown, "--a--"];
  expect(await answerIn(raw)).toBe(expected);
});

test("leaves the lines of texts that are folded in different ways as they are", async () => {
  const parts = ["--b", TYPE, "", "One ", "two", "--b", "Content-Type: text/plain", "", "three ", "four", "--b--"];
  expect(await answerIn(["Content-Type: multipart/mixed; boundary=b", "", ...parts])).toBe("One\ntwo\n\nthree\nfour");
});
