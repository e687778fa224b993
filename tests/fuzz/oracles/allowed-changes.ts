import type { Change } from "../product/recorded-database.ts";

/** Rows that a refused request may change, each with its reason. */
const ALLOWED: readonly (readonly [RegExp, string])[] = [
  [/ rate_limits$/, "counts attempts"],
  [/^update api_keys$/, "notes when a key was last used"],
  [/^update auth_sessions$/, "notes when a session was last used"],
  [/^insert security_events$/, "shows the owner a wrong password or code in the activity list"],
  [/^room: insert (triage|away_check)$/, "sets up the tables of a room that is called for the first time"],
  [/^(insert|delete) decoy emails$/, "an email that is deleted at once hides whether there was one to send"],
];

/** Returns the changes of a refused request that nothing allows. */
export function forbiddenChanges(status: number, changes: readonly Change[]): Change[] {
  if (status < 400 || status >= 500) return [];
  const countOf = (change: Change) => changes.filter((one) => one === change).length;
  const isDecoy = countOf("insert emails") === countOf("delete emails");
  return changes
    .map((change) => (isDecoy ? change.replace(/ emails$/, " decoy emails") : change))
    .filter((change) => !ALLOWED.some(([pattern]) => pattern.test(change)));
}
