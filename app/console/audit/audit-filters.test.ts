import { env } from "cloudflare:workers";
import { parse } from "csv-parse/sync";
import { beforeEach, expect, test } from "vitest";
import { MOST_SCANNED } from "#app/db/bounded-scan.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import { DAY_MS } from "#app/time.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { exportAuditLog, readAuditLog } from "./audit-log.server.ts";
import { readAuditQuery } from "./audit-query.server.ts";

const PER_PAGE = 50;
const MANY = 6_000;
const RARE = 3;
/** To choose between two indexes. */
const MOST_COUNTED = 500;
const START = Date.UTC(2026, 0, 1);

/** Each filter, which the rare entries match. They are the oldest of the log. */
const FILTERS = {
  person: "who=grace",
  action: "what=order.refund",
  kind: "about=order",
  subject: "about=order&of=7",
  days: "from=2026-01-01&to=2026-01-05",
};

/** Pairs of filters with three entries each. `npm test` reads no others. */
const PAIRS = ["person action", "action subject", "subject days"];

beforeEach(async () => {
  await env.DB.exec("delete from audit_log");
});

test("reads a bounded number of rows for each filter and pair of filters, and finds all entries on its pages", async () => {
  await env.DB.batch([fillRare(), ...fillOthers()]);
  const names = Object.keys(FILTERS) as (keyof typeof FILTERS)[];
  const pairs = names.flatMap((one, at) =>
    names
      .slice(at)
      .filter((other) => atScale(0, 1) || one === other || PAIRS.includes(`${one} ${other}`))
      .map((other) => [...new Set([one, other])]),
  );
  const queries = pairs.flatMap((pair) => {
    const query = pair.map((name) => FILTERS[name]).join("&");
    return atScale(0, 1) || pair.length === 1 ? [query, `${query}&sort=created`] : [query];
  });
  // Alone or not, a filter that no index holds would read most of the first entries already.
  const alone = queries.filter((query) => Object.values(FILTERS).includes(query.replace("&sort=created", "")));
  const reads: Record<string, [number, number]> = {};
  const found: Record<string, number> = {};
  for (const query of queries) [found[query], reads[query]] = [0, [0, 0]];
  for (const filled of [0, 1]) {
    if (filled === 1) await env.DB.batch(fillOthers());
    for (const query of filled === 1 ? alone : queries) {
      const { rows, most } = await readAll(query);
      found[query] = rows;
      const of = reads[query] ?? [0, 0];
      of[filled] = most;
    }
  }
  for (const [query, [few, many]] of Object.entries(reads)) {
    // The entries about a subject come from two indexes: each is read there, put in order, and looked up.
    const times = query.includes("of=7") ? 3 : 1;
    const most = times * MOST_SCANNED + 2 * MOST_COUNTED + 2 * PER_PAGE + 100;
    expect(few, query).toBeLessThanOrEqual(most);
    expect(many, query).toBeLessThanOrEqual(most);
  }
  // Those that an index holds alone read a page of it.
  for (const query of ["who=grace", "what=order.refund", "about=order&of=7"]) {
    expect(reads[query]?.[1], query).toBeLessThanOrEqual(reads[query]?.[0] ?? 0);
    expect(reads[query]?.[1], query).toBeLessThanOrEqual(600);
  }
  // All three are rare together, whichever of them is asked for.
  expect(found["who=grace&what=order.refund"]).toBe(RARE);
  expect(found["what=order.refund&about=order&of=7"]).toBe(RARE);
  expect(found["about=order&of=7&from=2026-01-01&to=2026-01-05"]).toBe(RARE);
  console.log(
    Object.entries(reads)
      .map(([query, of]) => `${query}: ${of.join(", ")}`)
      .join("\n"),
  );
});

test("finds entries about several services by one of them, by its number and by a part of its name", async () => {
  const name = `Followers ${crypto.randomUUID()}`;
  const [one, other] = [await service({ name }), await service({ name: "Something else" })];
  await env.DB.batch([
    run(`insert into audit_log (id, actor_id, actor_name, action, subject_type, subject_id, created_at) values
      (1, 'a', 'Ada', 'services.change', 'service', 'several', 1), (2, 'a', 'Ada', 'service.change', 'service', '${one}', 1),
      (3, 'a', 'Ada', 'service.change', 'service', '${other}', 1), (4, 'a', 'Ada', 'provider.import', 'provider', '9', 1)`),
    run(`insert into audit_subjects (entry_id, subject_type, subject_id) values (1, 'service', '${one}'),
      (1, 'service', '${other}'), (4, 'service', '${one}')`),
  ]);
  const idsOf = async (query: string) => (await list(db, query, null)).rows.map(({ id }) => id);
  expect(await idsOf(`about=service&of=${one}`)).toEqual([4, 2, 1]);
  expect(await idsOf(`about=service&of=${other}`)).toEqual([3, 1]);
  expect(await idsOf(`about=service&of=${encodeURIComponent(name.slice(3).toUpperCase())}`)).toEqual([4, 2, 1]);
  expect(await idsOf(`about=service&of=${one}&what=service.change`)).toEqual([2]);
  expect(await idsOf("about=service")).toEqual([3, 2, 1]);
  expect(await idsOf("about=service&of=nothing+is+called+so")).toEqual([]);
  // Without a kind, a text that isn't a number or an email names services.
  expect(await idsOf(`of=${encodeURIComponent(name)}`)).toEqual([4, 2, 1]);
});

test("finds a customer by email, part of the name and id, and conversations with them", async () => {
  const { userId, email } = await customerWith(0);
  await env.DB.batch([
    run(`insert into audit_log (id, actor_id, actor_name, action, subject_type, subject_id, created_at) values
      (1, 'a', 'Ada', 'customer.suspend', 'customer', '${userId}', 1),
      (2, 'a', 'Ada', 'conversation.close', 'conversation', 'user_${userId}', 1),
      (3, 'a', 'Ada', 'customer.suspend', 'customer', 'someone-else', 1)`),
  ]);
  const idsOf = async (query: string) => (await list(db, query, null)).rows.map(({ id }) => id);
  expect(await idsOf(`about=customer&of=${encodeURIComponent(email)}`)).toEqual([1]);
  expect(await idsOf(`of=${encodeURIComponent(email.slice(0, -4))}`)).toEqual([1]);
  expect(await idsOf(`about=customer&of=${userId}`)).toEqual([1]);
  expect(await idsOf(`about=conversation&of=${encodeURIComponent(email)}`)).toEqual([2]);
  const [row] = (await list(db, `about=customer&of=${userId}`, null)).rows;
  expect(row?.names[`customer ${userId}`]).toBe("Test Customer");
});

test("exports sentences with exact times and names, and defuses formulas", async () => {
  const id = await service({ name: "=HYPERLINK(1)" });
  const at = Date.UTC(2026, 4, 6, 7, 8, 9);
  await db.insert(auditLog).values({
    actorId: "a",
    actorName: "+Ada",
    action: "service.change",
    subjectType: "service",
    subjectId: String(id),
    detail: { rate: [2_000_000, 9_000_000], reason: "=1+1", undoes: 4, kept: { labels: ["name"], count: 3 } },
    createdAt: at,
  });
  const csv = await new Response(await exportAuditLog(db, new URLSearchParams())).text();
  const [line]: Record<string, string>[] = parse(csv, { bom: true, columns: true });
  expect(line).toMatchObject({
    at_utc: "2026-05-06 07:08:09",
    staff_member: "'+Ada",
    action: "Changed a service",
    sentence: "'+Ada raised the rate of =HYPERLINK(1) from $2.00 to $9.00, undoing part of entry 4",
    subject: "'=HYPERLINK(1)",
    details: "rate: $2.00 → $9.00",
    reason: "'=1+1",
    undoes: "4",
    not_undone: "name and 2 more",
  });
});

async function list(at: Db, params: string, after: ListCursor | null) {
  return readAuditLog(at, (await readAuditQuery(at, new URLSearchParams(params))).query, after, PER_PAGE);
}

/** Reads all pages. Returns how many rows they list, and the rows read for the most expensive of them. */
async function readAll(query: string): Promise<{ rows: number; most: number }> {
  let [rows, most] = [0, 0];
  for (let after: ListCursor | null = null, isLast = false; !isLast; isLast = after === null) {
    const { database, counts } = countedDatabase(env.DB);
    const page = await list(connect(database), query, after);
    rows += page.rows.length;
    most = Math.max(most, counts.rowsRead);
    after = parseCursor(page.next);
    // What an index holds alone has as many pages as entries.
    if (rows > 4 * PER_PAGE) break;
  }
  return { rows, most };
}

function fillRare(): D1PreparedStatement {
  return run(`insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${RARE})
    select 'grace', 'Grace', 'order.refund', 'order', '7', ${START} from n`);
}

/** Adds entries of which each matches one of the filters, or two that don't go with the others. */
function fillOthers(): D1PreparedStatement[] {
  const fill = (actor: string, action: string, type: string, subject: string, at: string) =>
    run(`insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})
      select '${actor}', 'Somebody', '${action}', '${type}', ${subject}, ${at} from n`);
  const late = String(START + 60 * DAY_MS);
  return [
    fill("grace", "order.status", "service", "i", late),
    fill("ada", "order.refund", "service", "i", late),
    fill("ada", "order.status", "order", "7", late),
    fill("ada", "order.status", "customer", "i", late),
  ];
}

function run(query: string): D1PreparedStatement {
  return env.DB.prepare(query);
}
