export const FILE_MAX_BYTES = 10 * 1024 * 1024;
export const FILE_TYPES = "image/png,image/jpeg,image/gif,image/webp,application/pdf";

/** Returns why a file cannot be sent, or null if it can. The server checks the content as well. */
export function fileError(file: { size: number; type: string }): string | null {
  if (file.size > FILE_MAX_BYTES) return "Files can be up to 10 MB.";
  return FILE_TYPES.split(",").includes(file.type) ? null : "You can only send images and PDFs.";
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
