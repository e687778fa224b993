import type { SQLWrapper } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";

/**
 * Access that ends together with a password, besides sessions, such as API keys. The route passes it in, because accounts don't
 * know the other domains. `statements` go into the batch that ends the password, for the users that `owner` selects, so
 * that a killed worker can't lose them. `finish` gets their results after the batch.
 */
export type OtherAccess = {
  statements(owner: SQLWrapper): BatchItem<"sqlite">[];
  finish(results: unknown[]): Promise<void>;
};
