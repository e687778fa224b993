import { text } from "drizzle-orm/sqlite-core";
import { impersonalTable, secret } from "./column-types.server.ts";

/**
 * Addresses that an import of the old system creates no account for: those imported once, and those of deleted accounts.
 * docs/decisions/accounts/0037-legacy-import.md says why this is SHA-256 without a key.
 */
export const importSkips = impersonalTable("import_skips", {
  /** Digest of the address in lower case. */
  addressDigest: secret(text("address_digest")).primaryKey(),
});
