export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Escapes a text and keeps its line breaks. */
export function textToHtml(text: string): string {
  return escapeHtml(text).replaceAll("\n", "<br>");
}
