import type { SeenPage, VisitedPage, VisitorDetails } from "#app/support/protocol/console-frames.ts";

/** Pages that a room keeps. */
export const PAGES_MAX = 10;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS visitor (id INTEGER PRIMARY KEY CHECK (id = 1), language TEXT) STRICT;
  INSERT OR IGNORE INTO visitor (id) VALUES (1);
  CREATE TABLE IF NOT EXISTS seen_pages (
    no INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
`;

/** What a room knows of its visitor's browser, in the room's own SQLite. Only the team sees it. */
export class RoomVisitor {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(): void {
    this.#sql.exec(SCHEMA);
  }

  /** Returns the language and the last pages, newest first. */
  details(): VisitorDetails {
    const [row] = this.#sql.exec("SELECT language FROM visitor").toArray() as { language: string | null }[];
    const pages = this.#sql.exec("SELECT path, title, at FROM seen_pages ORDER BY no DESC").toArray();
    return { language: row?.language ?? null, pages: pages as unknown as SeenPage[] };
  }

  /** Returns false if nothing changes. */
  setLanguage(language: string): boolean {
    return this.#changes("UPDATE visitor SET language = ?1 WHERE language IS NOT ?1", language);
  }

  /** Adds a page, unless it is the last one already. Returns false if nothing changes. */
  addPage({ path, title }: VisitedPage, at: number): boolean {
    const isAdded = this.#changes(
      `INSERT INTO seen_pages (path, title, at) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (
         SELECT 1 FROM seen_pages WHERE no = (SELECT max(no) FROM seen_pages) AND path = ?1 AND title = ?2)`,
      path,
      title,
      at,
    );
    if (isAdded) this.#sql.exec("DELETE FROM seen_pages WHERE no <= (SELECT max(no) FROM seen_pages) - ?", PAGES_MAX);
    return isAdded;
  }

  /** Returns false if there were none. */
  forgetPages(): boolean {
    return this.#changes("DELETE FROM seen_pages");
  }

  /** Adds what another room knew of the same person before. */
  adopt({ language, pages }: VisitorDetails): void {
    if (language !== null) this.setLanguage(language);
    for (const page of pages.toReversed()) this.addPage(page, page.at);
  }

  #changes(query: string, ...bindings: SqlStorageValue[]): boolean {
    return this.#sql.exec(`${query} RETURNING 1`, ...bindings).toArray().length > 0;
  }
}
