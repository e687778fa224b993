import type { Db } from "#app/db/db.server.ts";
import { addressOf, countAttempt, type LimitResult } from "#app/db/rate-limit.server.ts";
import { ConcurrencyLimit } from "#app/http/requests/concurrency-limit.ts";
import { HOUR_MS } from "#app/time.ts";

/** Generous, because an office or a school shares one address. */
const STARTS_PER_ADDRESS = 30;
/**
 * Files are in memory until they are whole, and one copy of the worker has 128 MB for everybody. A browser sends one at a
 * time, and an address may be an office's.
 */
const uploads = { byAuthor: new ConcurrencyLimit(3), byAddress: new ConcurrencyLimit(6) };
/** Enough to correct a typing error. */
const ADDRESSES_PER_SESSION = 5;
const ADDRESSES_PER_NETWORK = 30;
/** Also per recipient: strangers can give somebody's address in any number of conversations. */
const TRANSCRIPTS_PER_SESSION = 3;
const TRANSCRIPTS_PER_NETWORK = 10;

/** Counts a new anonymous conversation, each of which creates a room. */
export async function limitStarts(db: Db, request: Request): Promise<LimitResult> {
  const who = addressOf(request);
  if (who === null) return { ok: true };
  return countAttempt(db, [{ name: "support_start:address", who, max: STARTS_PER_ADDRESS, periodMs: HOUR_MS }]);
}

/** Counts an address given in a conversation: emails go there, and it may be somebody else's. */
export function limitEmailChanges(db: Db, request: Request, sessionId: string): Promise<LimitResult> {
  const periodMs = 24 * HOUR_MS;
  const network = addressOf(request);
  return countAttempt(db, [
    { name: "support_address", who: sessionId, max: ADDRESSES_PER_SESSION, periodMs },
    ...(network === null
      ? []
      : [{ name: "support_address:address", who: network, max: ADDRESSES_PER_NETWORK, periodMs }]),
  ]);
}

/** Returns the function to call when the upload has ended, or null if too many of this author or address are in progress. */
export function startUpload(request: Request, author: string): (() => void) | null {
  const address = addressOf(request);
  const endAuthors = uploads.byAuthor.start(author);
  const endAddresses = address === null ? () => {} : uploads.byAddress.start(address);
  if (endAuthors && endAddresses) {
    return () => {
      endAuthors();
      endAddresses();
    };
  }
  endAuthors?.();
  endAddresses?.();
  return null;
}

/** Counts a transcript email of that conversation, to that recipient, from the caller's network. */
export function limitTranscripts(
  db: Db,
  request: Request,
  { sessionId, recipient }: { sessionId: string; recipient: string },
): Promise<LimitResult> {
  const periodMs = 24 * HOUR_MS;
  const network = addressOf(request);
  return countAttempt(db, [
    { name: "support_transcript", who: sessionId, max: TRANSCRIPTS_PER_SESSION, periodMs },
    { name: "support_transcript:recipient", who: recipient.toLowerCase(), max: TRANSCRIPTS_PER_SESSION, periodMs },
    ...(network === null
      ? []
      : [{ name: "support_transcript:address", who: network, max: TRANSCRIPTS_PER_NETWORK, periodMs }]),
  ]);
}
