import { outsideJson } from "#app/http/outside-json.ts";

/** Gmail's batch format: HTTP requests and responses as parts of multipart/mixed. Responses come in any order. */

export type BatchPart = { id: string; path: string };
/** One response of a batch. `body` is the parsed JSON, or null. Header names are lowercase. */
export type BatchResponse = { id: string; status: number; headers: Record<string, string>; body: unknown };

const RESPONSE_PREFIX = "response-";
/** Gmail takes batches of 100 at most. */
const MAX_BATCH = 100;
/** A part has a dozen header lines. */
const MAX_HEADER_LINES = 100;
/** Objects, lists and members of one message without its body, or of an error. */
const MAX_PARTS = 1000;

export function encodeBatch(parts: BatchPart[], boundary: string): string {
  const encoded = parts.map(({ id, path }) =>
    [
      `--${boundary}`,
      "Content-Type: application/http",
      `Content-ID: <${id}>`,
      "",
      `GET ${path} HTTP/1.1`,
      "Accept: application/json",
      "",
      "",
    ].join("\r\n"),
  );
  return `${encoded.join("")}--${boundary}--\r\n`;
}

/** Returns the boundary in a Content-Type header, or null. */
export function boundaryOf(contentType: string | null): string | null {
  if (contentType === null || !/^multipart\/mixed\s*;/i.test(contentType)) return null;
  const found = /\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  return found?.[1] ?? found?.[2] ?? null;
}

/** Parses a batch response. Leaves out parts that are missing, truncated or garbled, and those beyond the largest batch. */
export function parseBatch(text: string, boundary: string): BatchResponse[] {
  const pieces = `\r\n${text.replaceAll(/\r?\n/g, "\r\n")}`.split(`\r\n--${boundary}`, MAX_BATCH + 2);
  // The first piece is the preamble. The last is the epilogue, or a truncated part if the closing boundary is missing.
  return pieces.slice(1, -1).flatMap((piece) => parsePart(piece.replace(/^[ \t]*\r\n/, "")) ?? []);
}

function parsePart(part: string): BatchResponse | null {
  const [outer, http] = splitHead(part);
  const id = /<([^<>]+)>/.exec(headersOf(outer)["content-id"] ?? "")?.[1];
  const [head, body] = splitHead(http);
  const status = /^HTTP\/[\d.]+ (\d{3})/.exec(head)?.[1];
  if (!id?.startsWith(RESPONSE_PREFIX) || !status) return null;
  const parsed = outsideJson(body, MAX_PARTS);
  if (Number(status) === 200 && parsed === null) return null;
  return { id: id.slice(RESPONSE_PREFIX.length), status: Number(status), headers: headersOf(head), body: parsed };
}

function splitHead(text: string): [head: string, rest: string] {
  const end = text.indexOf("\r\n\r\n");
  return end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end + 4)];
}

function headersOf(lines: string): Record<string, string> {
  const pairs = lines.split("\r\n", MAX_HEADER_LINES).flatMap((line) => {
    const colon = line.indexOf(":");
    return colon > 0 ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]] : [];
  });
  return Object.fromEntries(pairs);
}
