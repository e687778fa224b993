/**
 * Connections of one request to the main database, over D1's Sessions API
 * (https://developers.cloudflare.com/d1/best-practices/read-replication/). See
 * docs/decisions/platform/0069-pages-read-close-to-the-user.md.
 */

/** The state of the database, as D1 names it, that pages of this request must at least show. */
export class Bookmark {
  #latest: string | null;
  #hasMoved = false;

  /** `known` is what an earlier response gave the browser. */
  constructor(known: string | null = null) {
    this.#latest = known;
  }

  get latest(): string | null {
    return this.#latest;
  }

  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Bookmarks sort from oldest to newest. */
  advance(to: string | null): void {
    if (to !== null && (this.#latest === null || this.#latest < to)) this.replace(to);
  }

  replace(by: string): void {
    this.#latest = by;
    this.#hasMoved = true;
  }
}

/**
 * Returns a connection whose calls all go to the primary, each in a session of its own: a session's later calls could go
 * to a replica, which has nothing that others wrote since the first. Writes advance the bookmark.
 */
export function toPrimary(database: D1Database, bookmark: Bookmark): D1Database {
  return routed(async (call, isWrite) => {
    const session = database.withSession("first-primary");
    const result = await call(session);
    if (isWrite) bookmark.advance(session.getBookmark());
    return result;
  });
}

/**
 * Returns a connection for reads, which go to the nearest replica that has reached the bookmark. A write throws. Where D1
 * fails for a session at the bookmark, the primary is asked: a database that was replaced may not know it.
 */
export function toReplicas(database: D1Database, bookmark: Bookmark): D1Database {
  let open: { from: string | null; session: D1DatabaseSession } | null = null;
  return routed(async (call, isWrite) => {
    if (isWrite) throw new Error("a write through the connection for reads");
    const from = bookmark.latest;
    try {
      if (open?.from !== from) open = { from, session: database.withSession(from ?? "first-unconstrained") };
      return await call(open.session);
    } catch (error) {
      if (from === null) throw error;
      const primary = database.withSession("first-primary");
      const result = await call(primary);
      const reached = primary.getBookmark();
      if (reached !== null && bookmark.latest === from) bookmark.replace(reached);
      return result;
    }
  });
}

type Run = <T>(call: (session: D1DatabaseSession) => Promise<T>, isWrite: boolean) => Promise<T>;

function routed(run: Run): D1Database {
  const database: Pick<D1Database, "prepare" | "batch"> = {
    prepare: (text) => new RoutedStatement(run, text) as unknown as D1PreparedStatement,
    batch<T>(statements: D1PreparedStatement[]) {
      const own = statements as unknown as RoutedStatement[];
      return run(
        (session) => session.batch<T>(own.map((statement) => statement.on(session))),
        own.some(({ isWrite }) => isWrite),
      );
    },
  };
  return database as D1Database;
}

/** A statement that gets its session when it runs. */
class RoutedStatement {
  readonly #run: Run;
  readonly #text: string;
  readonly #values: unknown[];

  constructor(run: Run, text: string, values: unknown[] = []) {
    this.#run = run;
    this.#text = text;
    this.#values = values;
  }

  get isWrite(): boolean {
    return !/^\s*select\b/i.test(this.#text);
  }

  on(session: D1DatabaseSession): D1PreparedStatement {
    return session.prepare(this.#text).bind(...this.#values);
  }

  bind(...values: unknown[]): RoutedStatement {
    return new RoutedStatement(this.#run, this.#text, values);
  }

  all() {
    return this.#run((session) => this.on(session).all(), this.isWrite);
  }

  run() {
    return this.#run((session) => this.on(session).run(), this.isWrite);
  }

  raw(options?: { columnNames?: false }) {
    return this.#run((session) => this.on(session).raw(options), this.isWrite);
  }

  first() {
    return this.#run((session) => this.on(session).first(), this.isWrite);
  }
}
