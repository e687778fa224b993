import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { appendJsonLine, readJsonLines } from "#tools/run/json-lines.ts";
import type { Environment } from "./choices.ts";

/** A release as this machine made it: where Time Travel can take each database back to. */
export type ReleaseRecord = {
  at: string;
  commit: string;
  /** Undefined while it is under way, and if it failed. */
  version?: string;
  /** By the database's name. Null: it was made for this release. */
  bookmarks: Record<string, string>;
};

/**
 * The records stay on the machine that deploys, one JSON a line. They only save a look-up: Time Travel finds the same
 * bookmark by the time, which Cloudflare keeps with each version.
 */
export function recordsFile(environment: Environment): string {
  return `deployments/${environment}.releases.jsonl`;
}

export function addRecord(root: string, environment: Environment, record: ReleaseRecord): void {
  const file = join(root, recordsFile(environment));
  mkdirSync(dirname(file), { recursive: true });
  appendJsonLine(file, record);
}

/** Returns the records, oldest first. */
export function readRecords(root: string, environment: Environment): ReleaseRecord[] {
  return readJsonLines<ReleaseRecord>(join(root, recordsFile(environment)));
}
