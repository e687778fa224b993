import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { listCustomers } from "./customer-admin.server.ts";

const EACH = 3000;

test("reads the customers that a search finds, or one page of all, however many there are", async () => {
  const reads: number[][] = [];
  for (let filled = 0; filled < 2; filled++) {
    await addCustomers(filled * EACH);
    const counted: number[] = [];
    for (const filter of [
      { search: "rare", after: null },
      { search: "rare", after: "person1" },
      { search: "", after: null },
      { search: "", after: "person2" },
    ]) {
      const { database, counts } = countedDatabase(env.DB);
      await listCustomers(connect(database), filter, 50);
      counted.push(counts.rowsRead);
    }
    reads.push(counted);
  }
  expect(reads[1]).toEqual(reads[0]);
  expect(Math.max(...(reads[0] ?? []))).toBeLessThanOrEqual(150);
});

/** Adds customers of whom the first two are found by "rare": one by email, one by name. */
async function addCustomers(from: number): Promise<void> {
  const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + EACH - 1})`;
  const email = "case i when 0 then 'rare@test.example' else 'person' || i || '@test.example' end";
  await env.DB.batch([
    env.DB.prepare(`${numbers} insert into users (id, email, created_at) select 'u' || i, ${email}, 1 from n`),
    env.DB.prepare(
      `${numbers} insert into profiles (user_id, email, full_name)
       select 'u' || i, ${email}, iif(i = 1, 'Rare Name', 'Person') from n`,
    ),
  ]);
}
