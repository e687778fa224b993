/** Keeps the JSON well below the size limit of a bound parameter, and each statement short. */
const ROWS_PER_STATEMENT = 200;

/** Returns a statement for each 200 rows, which it binds as one parameter: D1 allows 100. */
export function inChunks<Row, Statement>(rows: Row[], statement: (json: string) => Statement): Statement[] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, n) =>
    statement(JSON.stringify(rows.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT))),
  );
}
