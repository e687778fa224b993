import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import {
  countEmails,
  findSuppressed,
  listFailedEmails,
  listSuppressed,
  listWaitingEmails,
  readEmailQuery,
} from "./email-admin.server.ts";

const EMAILS = 20_000;
const SUPPRESSED = 5000;
/** A page of 51 rows reads each in its index and in the table. */
const PAGE_READS = 110;

test("reads about one page, however many emails and suppressed addresses there are", async () => {
  await fill();
  const reads = async (query: (db: ReturnType<typeof connect>) => Promise<unknown>) => {
    const { database, counts } = countedDatabase(env.DB);
    await query(connect(database));
    return counts.rowsRead;
  };
  const page = { value: 15_000, id: "old15000" };
  const [newest, next] = [false, true].map((isWaiting) => readEmailQuery(new URLSearchParams(), isWaiting));
  if (!newest || !next) throw new Error("no query");
  expect(await reads((db) => listFailedEmails(db, newest, null, 50))).toBeLessThanOrEqual(PAGE_READS);
  expect(await reads((db) => listFailedEmails(db, newest, page, 50))).toBeLessThanOrEqual(PAGE_READS);
  expect(await reads((db) => listWaitingEmails(db, next, null, 50))).toBeLessThanOrEqual(PAGE_READS);
  expect(await reads((db) => listSuppressed(db, newest, null, 50))).toBeLessThanOrEqual(PAGE_READS);
  expect(await reads((db) => findSuppressed(db, "Person4999@", 50))).toBeLessThanOrEqual(10);
  const found = await findSuppressed(connect(env.DB), "Person4999@", 50);
  expect(found.map(({ address }) => address)).toEqual(["person4999@test.example"]);
});

test("counts the emails of the last day, and all that wait", async () => {
  const now = Date.now();
  await run(
    `insert into emails (id, recipient, kind, status, expires_at, created_at)
     select 'now' || i, 'a@test.example', 'transcript', iif(i < 3, 'sent', 'bounced'), 1, ?2 from n`,
    7,
    now,
  );
  expect(await countEmails(connect(env.DB))).toEqual({ lastDay: { sent: 2, bounced: 5 }, waiting: 100 });
});

/** Old emails, every tenth of them failed and the first hundred queued, and suppressed addresses. */
async function fill(): Promise<void> {
  await run(
    `insert into emails (id, recipient, kind, status, next_attempt_at, expires_at, created_at)
     select 'old' || i, 'a@test.example', 'transcript',
       case when i <= 100 then 'queued' when i % 10 = 0 then 'failed' else 'sent' end, iif(i <= 100, i, null), 1, i from n`,
    EMAILS,
  );
  await run(
    `insert into email_suppressions (address_digest, email_address, reason, created_at)
     select 'digest' || i, 'person' || i || '@test.example', 'bounced', i from n`,
    SUPPRESSED,
  );
}

/** Runs a statement that reads the numbers from 1 to `count` as `n`. */
async function run(statement: string, count: number, ...values: number[]): Promise<void> {
  const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)";
  await env.DB.prepare(`${numbers} ${statement}`)
    .bind(count, ...values)
    .run();
}
