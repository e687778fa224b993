import type { SupportFile } from "#app/support/protocol/frames.ts";

/** Attachments: the bytes are in R2, and which room they belong to is known to the room alone. */

const NAME_MAX_CHARS = 120;

const SIGNATURES: { type: string; at: number; bytes: number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
  { type: "application/pdf", at: 0, bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
];

/** By the content, whatever the name or the browser says. Null for what is not taken. */
export function typeOf(content: Uint8Array): string | null {
  const found = SIGNATURES.find(({ at, bytes }) => bytes.every((byte, offset) => content[at + offset] === byte));
  return found?.type ?? null;
}

export function fileKey(id: string): string {
  return `support/${id}`;
}

/** A file's own name without what a path, a header or a terminal could take for more than that. */
export function cleanName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const clean = last.replaceAll(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, "").trim();
  return clean.slice(-NAME_MAX_CHARS).toWellFormed() || "file";
}

/** Images are shown in place; a PDF could carry script, so it is only ever saved. */
export function fileHeaders(file: SupportFile): Record<string, string> {
  const disposition = file.type.startsWith("image/") ? "inline" : "attachment";
  return {
    "Content-Type": file.type,
    "Content-Disposition": `${disposition}; filename*=UTF-8''${encodeURIComponent(file.name).replaceAll("'", "%27")}`,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, max-age=86400",
  };
}
