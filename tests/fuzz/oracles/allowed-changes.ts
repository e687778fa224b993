import type { Change } from "../product/recorded-database.ts";

/** Rows that a request may change although it was refused or is for reading, each with its reason. */
const ALLOWED: readonly (readonly [RegExp, string])[] = [
  [/ rate_limits$/, "counts attempts"],
  [/^insert request_hours$/, "counts requests; the first request after a while writes those of its process"],
  [/^update api_keys$/, "notes when a key was last used"],
  [/^update auth_sessions$/, "notes when a session was last used"],
  [/^insert security_events$/, "shows the owner a wrong password or code in the activity list"],
  [/^insert provider_log$/, "keeps what a provider answers to a question that staff ask"],
  [/^room: insert (triage|away_check|visitor)$/, "sets up the tables of a room that is called for the first time"],
  [/^(insert|delete) decoy emails$/, "an email that is deleted at once hides whether there was one to send"],
];

/** Rows that a request for reading may change as well. */
const ALLOWED_FOR_READING: readonly (readonly [RegExp, string])[] = [
  [/^(insert|delete) gmail_oauth_states$/, "the way to Google and back starts with a link"],
  [/^room: update visitor$/, "notes the language of the browser that a visitor connects with"],
];

const READS = ["GET", "HEAD", "OPTIONS"];

/** Returns the changes that nothing allows of a request that was refused or is for reading. */
export function forbiddenChanges(method: string, status: number, changes: readonly Change[]): Change[] {
  const isReading = READS.includes(method);
  const isRefused = status >= 400 && status < 500;
  if (!isReading && !isRefused) return [];
  const allowed = isReading ? [...ALLOWED, ...ALLOWED_FOR_READING] : ALLOWED;
  const countOf = (change: Change) => changes.filter((one) => one === change).length;
  const isDecoy = countOf("insert emails") === countOf("delete emails");
  return changes
    .map((change) => (isDecoy ? change.replace(/ emails$/, " decoy emails") : change))
    .filter((change) => !allowed.some(([pattern]) => pattern.test(change)));
}
