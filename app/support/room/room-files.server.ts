import { cutTextStart } from "#app/cut-text.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { ownValue } from "#app/own-value.ts";
import type { SupportFile } from "#app/support/protocol/frames.ts";

/** Attachments: the bytes are in R2; only the room knows which files belong to it. */

const NAME_MAX_CHARS = 120;

const SIGNATURES: { type: string; at: number; bytes: number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
  { type: "application/pdf", at: 0, bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
];

/** Returns the type by the file's content, ignoring its name and declared type, or null if it is not accepted. */
export function typeOf(content: Uint8Array): string | null {
  const found = SIGNATURES.find(({ at, bytes }) => bytes.every((byte, offset) => content[at + offset] === byte));
  return found?.type ?? null;
}

export function fileKey(id: string): string {
  return `support/${id}`;
}

const EXTENSIONS: Record<string, string[]> = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "application/pdf": ["pdf"],
};
const EXTENSION = /\.([a-z0-9]{1,8})$/i;

/** Returns a file's name without path and controls, with the extension of its type: a download opens by it. */
export function nameOfFile(name: string, type: string): string {
  const clean = cleanName(name.split(/[/\\]/).at(-1) ?? "");
  const [extension] = ownValue(EXTENSIONS, type) ?? [];
  if (extension === undefined) return cutTextStart(clean, NAME_MAX_CHARS) || "file";
  const isRight = ownValue(EXTENSIONS, type)?.includes(EXTENSION.exec(clean)?.[1]?.toLowerCase() ?? "");
  const full = isRight ? clean : `${clean.replace(EXTENSION, "") || "file"}.${extension}`;
  return cutTextStart(full, NAME_MAX_CHARS);
}

/** Returns the ETag: a file never changes. */
export function fileTag({ id }: SupportFile): string {
  return `"${id}"`;
}

/** Images open in place. A PDF can carry scripts, so it is always a download. */
export function fileHeaders(file: SupportFile): Record<string, string> {
  const disposition = file.type.startsWith("image/") ? "inline" : "attachment";
  // Again, for files from before names were given the extension of the type.
  const name = nameOfFile(file.name, file.type);
  return {
    "Content-Type": file.type,
    "Content-Disposition": `${disposition}; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", "%27")}`,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    // The browser keeps it for the thumbnails of a long conversation, but asks each time: its user may have logged out.
    "Cache-Control": "private, no-cache",
    ETag: fileTag(file),
  };
}
