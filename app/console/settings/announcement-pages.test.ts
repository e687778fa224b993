import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { announcements } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { readStaffAnnouncements } from "./announcement-list.server.ts";

const NOW = Date.UTC(2026, 0, 1);
const EACH = 60;

test("lists every announcement page by page, and edits one on any page, at the same cost however many there are", async () => {
  const reads: number[] = [];
  for (let filled = 1; filled <= 2; filled++) {
    for (let n = 0; n < EACH; n++) {
      const body = `Announcement ${n}`;
      const times = { startsAt: NOW - 1, endsAt: filled === 1 && n === 0 ? NOW + 1 : NOW };
      await db
        .insert(announcements)
        .values({ kind: "banner", audience: "everyone", body, ...times, changedBy: "a", changedAt: 1 });
    }
    const metered = countedDatabase(env.DB);
    await readStaffAnnouncements(connect(metered.database), new URLSearchParams(), NOW);
    reads.push(metered.counts.rowsRead);
  }
  expect(reads[1]).toBe(reads[0]);
  const ids: number[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = await readStaffAnnouncements(db, new URLSearchParams({ after }), NOW);
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
  }
  expect(new Set(ids).size).toBe(2 * EACH);
  const oldest = Math.min(...ids);
  const { form, rows } = await readStaffAnnouncements(db, new URLSearchParams({ edit: String(oldest) }), NOW);
  expect(form?.edited).toMatchObject({ id: oldest, state: "running" });
  expect(rows.map(({ id }) => id)).not.toContain(oldest);
});
