import { ownValue } from "#app/own-value.ts";

const MIB = 1024 * 1024;

export const MAX_FILE_BYTES = 100 * MIB;
/** The smallest part that R2 takes, except for the last one. */
export const PART_BYTES = 5 * MIB;
export const MAX_FILES = 200;
export const MAX_ACCOUNT_BYTES = 1024 * MIB;
/** Per account. */
export const MAX_PENDING = 10;
export const MAX_NAME_CHARACTERS = 200;

/** MIME types by file name extension. content-type.ts checks the content itself. */
export const TYPES: Record<string, string> = {
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};

export function typeOfName(name: string): string | null {
  const end = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return ownValue(TYPES, end) ?? null;
}

export const ACCEPT = Object.keys(TYPES)
  .map((end) => `.${end}`)
  .join(",");

/** Returns what is wrong with a file's name or size, or null. */
export function fileError({ name, size }: { name: string; size: number }): string | null {
  if (size === 0) return "The file is empty.";
  if (size > MAX_FILE_BYTES) return `Files can be at most ${MAX_FILE_BYTES / MIB} MB.`;
  if (typeOfName(name) === null)
    return "This file type isn't supported. Upload CSV, text, images, PDFs or videos (MP4, MOV, WebM).";
  return null;
}

/** Formats a number of bytes for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

export function isTable(contentType: string): boolean {
  return contentType.startsWith("text/");
}
