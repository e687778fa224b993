import { expect, test } from "vitest";
import { fitsType } from "./content-type.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);

test("matches a file to its type by its first bytes", () => {
  expect(fitsType("image/png", png, 0)).toBe(true);
  expect(fitsType("image/jpeg", png, 0)).toBe(false);
  expect(fitsType("image/png", bytes("<html>"), 0)).toBe(false);
  expect(fitsType("application/pdf", bytes("%PDF-1.7"), 0)).toBe(true);
  expect(fitsType("video/mp4", bytes("\0\0\0\x18ftypisom"), 0)).toBe(true);
  expect(fitsType("application/x-msdownload", bytes("MZ"), 0)).toBe(false);
  expect(fitsType("image/png", new Uint8Array(), 0)).toBe(false);
});

test("rejects text with control characters in any part, and markup that is named as a table", () => {
  expect(fitsType("text/csv", bytes("service,link,quantity\r\n1,https://x.example/ü,5\r\n"), 0)).toBe(true);
  expect(fitsType("text/csv", bytes("PK\x03\x04"), 0)).toBe(false);
  expect(fitsType("text/csv", png, 0)).toBe(false);
  expect(fitsType("text/csv", bytes("  <!DOCTYPE html><p>"), 0)).toBe(false);
  expect(fitsType("text/csv", bytes("a,b\n\0"), 5_242_880)).toBe(false);
  expect(fitsType("text/csv", bytes("<html> in a cell,1"), 5_242_880)).toBe(true);
});
