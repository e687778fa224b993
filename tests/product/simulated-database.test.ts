import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DATABASE_CLASS, DATABASE_OBJECTS, RPC_FLAG } from "./simulated-database-worker.ts";

/** Calls to a database by name. What each returns is compared. Their text runs in workerd, so they use nothing of this file. */
const CALLS = {
  "creates tables": (db: D1Database) =>
    db.batch([
      db.prepare("create table things (id integer primary key, name text unique, size real, bytes blob)"),
      db.prepare("create table parts (thing_id integer not null references things(id), name text)"),
    ]),
  "inserts bound values": (db: D1Database) =>
    db
      .prepare("insert into things (name, size, bytes) values (?, ?, ?), (?2, ?1, null)")
      .bind("é 🙂", 1.5, new Uint8Array([1, 255]))
      .run(),
  "binds numbers as REAL": (db: D1Database) => db.prepare("select typeof(?) as type, ? / 2 as half").bind(1, 3).all(),
  "binds booleans and null": (db: D1Database) => db.prepare("select ? as yes, ? as none").bind(true, null).all(),
  "refuses what has no type in SQL": (db: D1Database) => db.prepare("select ?").bind(undefined).all(),
  "returns bytes": (db: D1Database) => db.prepare("select bytes, typeof(bytes) from things").all(),
  "returns rows": (db: D1Database) => db.prepare("select id, name as name from things order by id").raw(),
  "returns rows with names": (db: D1Database) =>
    db.prepare("select id, name from things order by id").raw({ columnNames: true }),
  "keys rows by column name": (db: D1Database) => db.batch([db.prepare("select id, name, 7 as id from things")]),
  "returns the first row": (db: D1Database) => db.prepare("select * from things order by id").first(),
  "returns a column of the first row": (db: D1Database) => db.prepare("select name from things").first("name"),
  "returns no first row": (db: D1Database) => db.prepare("select name from things where id = 99").first(),
  "refuses a column that is not there": (db: D1Database) => db.prepare("select name from things").first("size"),
  "returns what a write inserts": (db: D1Database) =>
    db.prepare("insert into things (name) values ('returned') returning id, name").all(),
  "counts changes": (db: D1Database) => db.prepare("update things set size = 2 where id < 3").run(),
  "refuses a second of what is unique": (db: D1Database) =>
    db.prepare("insert into things (name) values ('returned')").run(),
  "refuses a reference to nothing": (db: D1Database) => db.prepare("insert into parts values (99, 'lost')").run(),
  "refuses what is no SQL": (db: D1Database) => db.prepare("selec 1").all(),
  "keeps nothing of a batch that fails": (db: D1Database) =>
    db.batch([db.prepare("insert into things (name) values ('half')"), db.prepare("select nothing from things")]),
  "kept nothing of it": (db: D1Database) => db.prepare("select count(*) as count from things").first("count"),
  "runs several lines": (db: D1Database) => db.exec("insert into things (name) values ('a')\ndelete from things"),
  "raises an error that SQL asks for": (db: D1Database) => db.prepare("select json_extract('{}', 'too late')").all(),
  "asks in a session": (db: D1Database) => db.withSession("first-primary").prepare("select 1 as one").all(),
  "moves a session's bookmark with writes": async (db: D1Database) => {
    const session = db.withSession("first-primary");
    const before = session.getBookmark();
    await session.prepare("insert into things (name) values ('later')").run();
    return { before, after: typeof session.getBookmark() };
  },
};

const SCRIPT = `
${DATABASE_CLASS}
const CALLS = {${Object.entries(CALLS)
  .map(([name, call]) => `${JSON.stringify(name)}: ${call}`)
  .join(",\n")}};
export default {
  async fetch(request, env) {
    const { name, isSimulated } = await request.json();
    const database = isSimulated ? simulatedDatabase(env.DB, env.SIMULATED_DATABASE, "DB") : env.DB;
    try {
      return Response.json({ returned: await CALLS[name](database) });
    } catch (error) {
      return Response.json({ thrown: error.message, cause: error.cause?.message });
    }
  },
};`;

let miniflare: Miniflare;
beforeAll(async () => {
  const flags = { compatibilityDate: "2026-11-01", compatibilityFlags: [RPC_FLAG] };
  const worker = {
    modules: true,
    script: SCRIPT,
    ...flags,
    d1Databases: { DB: "db" },
    durableObjects: DATABASE_OBJECTS,
  };
  miniflare = new Miniflare(convertV4MiniflareOptions(worker));
  await miniflare.ready;
});
afterAll(() => miniflare.dispose());

async function outcome(name: string, isSimulated: boolean): Promise<unknown> {
  const body = JSON.stringify({ name, isSimulated });
  const response = await miniflare.dispatchFetch("http://world.example", { method: "POST", body });
  return JSON.parse(await response.text(), (key, value) => (MACHINE.includes(key) ? undefined : value));
}

/** Fields that say where and how fast a statement ran. */
const MACHINE = ["duration", "served_by", "served_by_primary", "total_attempts", "timings", "size_after"];

test.each(Object.keys(CALLS))("%s as D1 does", async (name) => {
  expect(await outcome(name, true)).toEqual(await outcome(name, false));
});
