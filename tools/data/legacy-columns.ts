import type { LegacyRow } from "#app/accounts/legacy/legacy-import.server.ts";
import { ownValue } from "#app/own-value.ts";

const KNOWN_NAMES = {
  email: ["email", "user_email", "email_address", "e_mail", "mail"],
  hash: ["password", "password_hash", "mysql_password_hash", "hash", "passwd", "user_pass", "pass", "pwd"],
  full_name: ["full_name", "fullname", "name", "display_name", "username"],
  created_at: ["created_at", "created", "registered_at", "user_registered", "date_created", "signup_date"],
} as const;
export type Column = keyof typeof KNOWN_NAMES;

/** These decide who can sign in, so none of two is preferred. */
const NEEDED = ["email", "hash"] as const;

/**
 * Maps our columns to those of the file: by `--map` ("hash=pw"), otherwise by their usual names. Throws if two columns
 * may be the email address or the hash.
 */
export function chooseColumns(names: string[], mappings: string[]): Map<Column, string> {
  const chosen = new Map<Column, string>();
  for (const [column, usual] of Object.entries(KNOWN_NAMES) as [Column, readonly string[]][]) {
    const found = usual.find((name) => names.includes(name));
    if (found !== undefined) chosen.set(column, found);
  }
  const mapped = mappings.map((mapping) => mapping.split("=")[0]?.trim().toLowerCase());
  for (const column of NEEDED) {
    const found = names.filter((name) => (KNOWN_NAMES[column] as readonly string[]).includes(name));
    if (found.length > 1 && !mapped.includes(column)) {
      const quoted = found.map((name) => `"${name}"`).join(" and ");
      throw new Error(`columns ${quoted} may both be the ${column}. Choose one with --map ${column}=…`);
    }
  }
  for (const mapping of mappings) {
    const [column = "", name = ""] = mapping.split("=").map((part) => part.trim().toLowerCase());
    if (!isColumn(column)) throw new Error(`--map takes ${Object.keys(KNOWN_NAMES).join(", ")}, not "${column}"`);
    if (!names.includes(name)) throw new Error(`the file has no column "${name}", only ${names.join(", ")}`);
    chosen.set(column, name);
  }
  for (const needed of NEEDED) {
    if (!chosen.has(needed))
      throw new Error(`choose a column with --map ${needed}=…; the file has ${names.join(", ")}`);
  }
  return chosen;
}

export function rowUnder(columns: Map<Column, string>, cells: Record<string, string>): LegacyRow {
  const cell = (column: Column) => ownValue(cells, columns.get(column) ?? "");
  return { email: cell("email"), hash: cell("hash"), fullName: cell("full_name"), createdAt: cell("created_at") };
}

function isColumn(name: string): name is Column {
  return Object.hasOwn(KNOWN_NAMES, name);
}
