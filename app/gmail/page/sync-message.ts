/** Describes the result of a successful sync. */
export function syncMessage({ read, removed, finished }: { read: number; removed: number; finished: boolean }): string {
  if (!finished) return `${messages(read)} read. The rest will sync automatically.`;
  if (read === 0 && removed === 0) return "Nothing new since the last sync";
  return [read > 0 && `${messages(read)} synced`, removed > 0 && `${messages(removed)} removed`]
    .filter(Boolean)
    .join(", ");
}

function messages(n: number): string {
  return n === 1 ? "1 message" : `${n} messages`;
}
