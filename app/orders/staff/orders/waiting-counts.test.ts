import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect, type Db } from "#app/db/db.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillHistory, startHistory } from "#tests/workerd/history-fill.ts";
import { listWaitingCancellations, listWaitingRefills, readWaitingQuery } from "./refill-cancellation-queue.server.ts";
import { countWaiting } from "./staff-order-list.server.ts";
import { countUnsent } from "./unsent-counts.server.ts";

const LISTS: Record<string, (db: Db) => Promise<unknown>> = {
  "what waits for a person": countWaiting,
  "what dispatchers will send": countUnsent,
  "waiting refills": (db) => listWaitingRefills(db, readWaitingQuery(new URLSearchParams(), ""), null, 50),
  "waiting cancellations": (db) => listWaitingCancellations(db, readWaitingQuery(new URLSearchParams(), ""), null, 50),
};

test("reads the same few rows for the console's counts and queues, however many orders there are", async () => {
  const start = await startHistory();
  const reads: Record<string, number>[] = [];
  for (let filled = 1; filled <= 2; filled++) {
    await fillHistory(start, { orders: 3000, conversations: 1 });
    const rows: Record<string, number> = {};
    for (const [name, list] of Object.entries(LISTS)) {
      const { database, counts } = countedDatabase(env.DB);
      await list(connect(database));
      rows[name] = counts.rowsRead;
    }
    reads.push(rows);
  }
  expect(reads[1]).toEqual(reads[0]);
  for (const read of Object.values(reads[0] ?? {})) expect(read).toBeLessThanOrEqual(20);
});
