import { expect, test } from "vitest";
import { fileHeaders, fileKey, fileTag, nameOfFile, typeOf } from "./room-files.server.ts";

const START: [type: string, start: string][] = [
  ["image/png", "89504e470d0a1a0a"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "47494638"],
  ["image/webp", "524946460000000057454250"],
  ["application/pdf", "255044462d"],
];

test.for(START)("knows %s by all of its first bytes", ([type, hex]) => {
  const bytes = Buffer.from(hex, "hex");
  expect(typeOf(Buffer.concat([bytes, Buffer.from("more")]))).toBe(type);
  expect(typeOf(bytes.subarray(0, -1))).toBeNull();
  expect(typeOf(Buffer.concat([Buffer.from([0]), bytes]))).toBeNull();
  const last = Buffer.from(bytes);
  last[last.length - 1] = (last.at(-1) ?? 0) ^ 1;
  expect(typeOf(last)).toBeNull();
});

test("accepts no empty file", () => {
  expect(typeOf(new Uint8Array())).toBeNull();
});

test.for([
  ["a.png", "a.png"],
  ["a.PNG", "a.PNG"],
  ["C:\\photos\\a.png", "a.png"],
  ["../../a.png", "a.png"],
  [" a\u0000\u001f\u007f.png ", "a.png"],
  ["gpj\u202e\u2066.exe", "gpj.png"],
  ["invoice.pdf.exe", "invoice.pdf.png"],
  ["Mr. Smith", "Mr. Smith.png"],
  ["", "file.png"],
  [".png", ".png"],
  [".exe", "file.png"],
  ["photos/", "file.png"],
  [" \u0000\u200b ", "file.png"],
  [`${"x".repeat(200)}.png`, `${"x".repeat(116)}.png`],
  [`\ud83d\ude00${"x".repeat(119)}`, `${"x".repeat(116)}.png`],
  ["a\ud83d.png", "a\ufffd.png"],
] as const)("names an image %j as %j", ([name, clean]) => {
  expect(nameOfFile(name, "image/png")).toBe(clean);
});

test.for([
  ["image/jpeg", "a.jpeg", "a.jpeg"],
  ["image/jpeg", "a.png", "a.jpg"],
  ["image/gif", "a", "a.gif"],
  ["image/webp", "a.WebP", "a.WebP"],
  ["application/pdf", "invoice.exe", "invoice.pdf"],
  ["text/plain", "old.txt", "old.txt"],
] as const)("gives a file of type %s that is called %j the name %j", ([type, name, clean]) => {
  expect(nameOfFile(name, type)).toBe(clean);
});

test.for([
  ["image/png", "inline", "png"],
  ["application/pdf", "attachment", "pdf"],
] as const)("serves %s as %s, and lets it do nothing", ([type, disposition, extension]) => {
  const file = { id: "f1", name: "Bo's 1.exe", type, size: 5 };
  expect(fileHeaders(file)).toEqual({
    "Content-Type": type,
    "Content-Disposition": `${disposition}; filename*=UTF-8''Bo%27s%201.${extension}`,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-cache",
    ETag: '"f1"',
  });
  expect([fileTag(file), fileKey("f1")]).toEqual(['"f1"', "support/f1"]);
});
