export const FILE_MAX_BYTES = 10 * 1024 * 1024;
export const FILE_TYPES = "image/png,image/jpeg,image/gif,image/webp,application/pdf";

/** Why a file can't be sent, however often it is tried. */
const FILE_PROBLEMS = {
  empty: "This file is empty.",
  too_large: "Files can be up to 10 MB.",
  type_not_taken: "You can only send images and PDFs.",
};
const OTHER_REASONS = {
  blocked: "You can't send messages in this conversation.",
  rate_limited: "Too many messages at once. Wait a moment.",
  no_connection: "The connection was lost.",
  server_error: "Something went wrong on our side.",
};

/** Returns the first problem of a file, or null if it can be sent. The server checks the content as well. */
export function fileProblem({ size, type }: { size: number; type: string }): keyof typeof FILE_PROBLEMS | null {
  if (size === 0) return "empty";
  if (size > FILE_MAX_BYTES) return "too_large";
  return FILE_TYPES.split(",").includes(type) ? null : "type_not_taken";
}

/** Returns why a message was not sent, in plain words. Empty for a reason this page doesn't know. */
export function reasonText(reason: string | undefined): string {
  return new Map(Object.entries({ ...FILE_PROBLEMS, ...OTHER_REASONS })).get(reason ?? "") ?? "";
}

/** Returns whether sending the same file again can't help. */
export function isFinal(reason: string | undefined): boolean {
  return reason !== undefined && Object.hasOwn(FILE_PROBLEMS, reason);
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
