import type { FieldWords } from "./field-words.ts";

/** What the settings of a provider are called. */
export const PROVIDER_WORDS = {
  name: "Name",
  apiUrl: "API URL",
  key: "API key",
  riseLimit: "Limit of price changes by night",
  concurrentCalls: "Calls at once",
  callsPerMinute: "Calls per minute",
  honorsIdempotencyKeys: "Honors idempotency keys",
  splitsComments: "Splits comments at commas",
  enabled: "Send orders to this provider",
} as const satisfies FieldWords;
