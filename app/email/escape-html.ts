export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** As it was written, line by line. */
export function textToHtml(text: string): string {
  return escapeHtml(text).replaceAll("\n", "<br>");
}
