import { escapeHtml } from "./escape-html.ts";
import type { Email } from "./send-email.server.ts";

/** A table of texts. The first column names the rows; in plain text, a row is a line. */
export type EmailTable = { title: string; head: string[]; rows: string[][] };

/** A paragraph, a link in one of its own, or a table. */
export type EmailPart = string | { link: string; label: string } | EmailTable;

export function composeEmail(to: string, subject: string, parts: EmailPart[]): Email {
  const text = parts.map(textOf).join("\n\n");
  const html = parts.map(htmlOf);
  return {
    to,
    subject,
    text: `${text}\n`,
    html: `<!doctype html><html lang="en"><body>${html.join("")}</body></html>`,
  };
}

function textOf(part: EmailPart): string {
  if (typeof part === "string") return part;
  if ("link" in part) return part.link;
  const lines = part.rows.map(
    ([name, ...cells]) => `${name}: ${cells.map((cell, n) => cellText(part, cell, n)).join(", ")}`,
  );
  return [part.title, ...lines].join("\n");
}

/** Names a cell by its column, because a line of plain text has no head. */
function cellText({ head }: EmailTable, cell: string, column: number): string {
  const name = head[column + 1] ?? "";
  return name === "" ? cell : `${name.toLowerCase()} ${cell}`;
}

function htmlOf(part: EmailPart): string {
  if (typeof part === "string") return `<p>${escapeHtml(part)}</p>`;
  if ("link" in part) {
    return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a></p><p>${escapeHtml(part.link)}</p>`;
  }
  const cells = (tag: "th" | "td", row: string[]) =>
    row
      .map(
        (cell, n) =>
          `<${tag} align="${n === 0 ? "left" : "right"}" style="padding:4px 12px 4px 0">${escapeHtml(cell)}</${tag}>`,
      )
      .join("");
  const rows = part.rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("");
  return `<h2 style="font-size:16px">${escapeHtml(part.title)}</h2><table style="border-collapse:collapse"><tr>${cells("th", part.head)}</tr>${rows}</table>`;
}
