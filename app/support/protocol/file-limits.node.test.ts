import { expect, test } from "vitest";
import { FILE_MAX_BYTES, fileProblem, isFinal, reasonText } from "./file-limits.ts";

test("names the first problem of a file before it is sent", () => {
  const cases: [size: number, type: string, problem: string | null][] = [
    [1, "image/png", null],
    [FILE_MAX_BYTES, "application/pdf", null],
    [0, "image/png", "empty"],
    [FILE_MAX_BYTES + 1, "image/png", "too_large"],
    [1, "image/svg+xml", "type_not_taken"],
    [1, "", "type_not_taken"],
  ];
  for (const [size, type, problem] of cases)
    expect([size, type, fileProblem({ size, type })]).toEqual([size, type, problem]);
});

test("says why a file was refused, and that trying again can't help where the file itself is at fault", () => {
  const final = ["empty", "too_large", "type_not_taken"];
  const passing = ["blocked", "rate_limited", "no_connection", "server_error"];
  for (const reason of [...final, ...passing]) {
    expect(reasonText(reason), reason).toMatch(/\.$/);
    expect([reason, isFinal(reason)]).toEqual([reason, final.includes(reason)]);
  }
  for (const unknown of [undefined, "constructor", "toString"]) {
    expect([reasonText(unknown), isFinal(unknown)]).toEqual(["", false]);
  }
});
