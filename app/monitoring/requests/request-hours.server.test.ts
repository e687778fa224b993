import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { requestHours } from "#app/db/schema.server.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { type CountedRequest, FLUSH_MS, RequestCounters } from "./request-counters.ts";
import { addToHours, deleteOldHours, readRequestDays, readRequestHours } from "./request-hours.server.ts";

/** Hours of their own, far from what other tests count. */
const START = 1000 * DAY_MS;

const REQUEST: CountedRequest = { area: "api", status: 200, ms: 12, queries: 2, rowsRead: 5, rowsWritten: 1 };

async function flush(counters: RequestCounters, now: number): Promise<void> {
  const due = counters.takeDue(now);
  if (due) await addToHours(db, due);
}

test("adds up requests by hour and area, from several isolates", async () => {
  const [one, other] = [new RequestCounters(), new RequestCounters()];
  one.count(REQUEST, START);
  one.count({ ...REQUEST, status: 500, ms: 700 }, START + 1);
  one.count({ ...REQUEST, area: "chat" }, START + 1);
  other.count({ ...REQUEST, status: 429 }, START + 2);
  other.count(REQUEST, START + HOUR_MS);
  await flush(one, START + HOUR_MS);
  await flush(other, START + HOUR_MS);

  const hours = await readRequestHours(db, START, START + 2 * HOUR_MS);
  expect(hours.map(({ hour, area, requests }) => [hour - START / HOUR_MS, area, requests])).toEqual([
    [0, "api", 3],
    [0, "chat", 1],
    [1, "api", 1],
  ]);
  expect(hours[0]).toMatchObject({ errors: 1, refused: 1, ms: 724, queries: 6, rowsRead: 15, rowsWritten: 3 });
  expect(hours[0]?.durations).toEqual([0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0]);
  expect(await readRequestHours(db, START, START + HOUR_MS)).toHaveLength(2);

  const days = (await readRequestDays(db, START / DAY_MS)).filter(({ day }) => day === START / DAY_MS);
  expect(days.map(({ area, requests }) => [area, requests])).toEqual([
    ["api", 4],
    ["chat", 1],
  ]);
});

test("writes at most once a minute, and keeps what could not be written for the next time", async () => {
  const counters = new RequestCounters();
  expect(counters.takeDue(START)).toBeNull();
  counters.count(REQUEST, START);
  const first = counters.takeDue(START, 0);
  expect(first).toHaveLength(1);
  counters.putBack(first ?? []);
  counters.count(REQUEST, START + 1);
  expect(counters.takeDue(START + FLUSH_MS - 1)).toBeNull();
  expect(counters.takeDue(START + FLUSH_MS)).toMatchObject([
    { requests: 2, durations: [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0] },
  ]);
});

test("costs one write and one written row per area, however many requests were counted", async () => {
  const now = START + 10 * DAY_MS;
  const counters = new RequestCounters();
  const { database, byStatement } = countedDatabase(env.DB);
  const costs: [statements: number, rowsWritten: number][] = [];
  for (let minute = 0; minute < 3; minute++) {
    for (let request = 0; request < 500; request++) {
      counters.count({ ...REQUEST, area: request % 2 === 0 ? "api" : "pages" }, now);
    }
    byStatement.clear();
    await addToHours(connect(database), counters.takeDue(now + minute * 2 * FLUSH_MS) ?? []);
    const written = [...byStatement.values()].reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    costs.push([byStatement.size, written]);
  }
  // The first of an hour also writes the primary key's index. The other statement is the write's deadline.
  expect(costs).toEqual([
    [2, 4],
    [2, 2],
    [2, 2],
  ]);
});

test("deletes hours after 30 days, by the primary key", async () => {
  const now = START + 100 * DAY_MS;
  const day = now / DAY_MS;
  for (const days of [29, 30, 31, 45]) {
    const counters = new RequestCounters();
    counters.count(REQUEST, now - days * DAY_MS);
    await flush(counters, now);
  }
  await deleteOldHours(db, now);
  expect((await readRequestDays(db, day - 60)).map((row) => row.day - day)).toEqual([-30, -29]);
  const plan = await env.DB.prepare("explain query plan select rowid from request_hours where hour < ? limit 500")
    .bind(1)
    .all<{ detail: string }>();
  expect(plan.results.map(({ detail }) => detail).join()).toContain("(hour<?)");
  await db.delete(requestHours);
});
