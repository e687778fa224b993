export const FILE_MAX_BYTES = 10 * 1024 * 1024;
export const FILE_TYPES = "image/png,image/jpeg,image/gif,image/webp,application/pdf";

/** What is wrong with a file, before it is sent; the server looks at its content. Null when nothing is. */
export function refusalOf(file: { size: number; type: string }): string | null {
  if (file.size > FILE_MAX_BYTES) return "Files can be at most 10 MB.";
  return FILE_TYPES.split(",").includes(file.type) ? null : "Only images and PDF files can be sent.";
}

/** Bytes as a person reads them. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
