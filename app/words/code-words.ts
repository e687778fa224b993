import type { FieldWords } from "./field-words.ts";

/** What the fields of a batch of codes are called. The log has the end of the last day as `expiresAt`. */
export const CODE_WORDS = {
  name: "Name",
  amount: "Amount",
  count: "Number of codes",
  maxUses: "Uses per code",
  expires: "Last day (UTC)",
  expiresAt: { label: "Last day (UTC)", valueKind: "lastDay" },
} as const satisfies FieldWords;
