import type { BackedUpTable } from "#app/backup/format/backup-objects.ts";

/**
 * D1 has no snapshot, so pages that are read one after the other are of different moments. While a backup runs, triggers
 * note each row that is written. The backup reads those rows again, until the few that are left fit one batch, which is a
 * transaction: its moment is the moment of the backup.
 */

const TRIGGER = "backup_capture_";
/** Rows per statement. */
const FORGOTTEN_AT_ONCE = 5000;

/** Starts noting what is written to these tables. Repeatable. */
export async function startCapture(binding: D1Database, tables: BackedUpTable[]): Promise<void> {
  const statements = tables.flatMap(({ name }) =>
    (["insert", "update", "delete"] as const).map((event) => {
      const row = event === "delete" ? "old" : "new";
      return binding.prepare(
        `create trigger if not exists "${TRIGGER}${name}_${event}" after ${event} on "${name}"
         begin insert into backup_changes (table_name, row_id) values ('${name}', ${row}.rowid); end`,
      );
    }),
  );
  await binding.batch(statements);
}

/** Stops noting, and forgets what was noted. Repeatable. */
export async function stopCapture(binding: D1Database): Promise<void> {
  const { results } = await binding
    .prepare(`select name from sqlite_master where type = 'trigger' and name glob '${TRIGGER}*'`)
    .all<{ name: string }>();
  if (results.length > 0) await binding.batch(results.map(({ name }) => binding.prepare(`drop trigger "${name}"`)));
  for (;;) {
    const deleted = await binding
      .prepare("delete from backup_changes where seq in (select seq from backup_changes limit ?) returning seq")
      .bind(FORGOTTEN_AT_ONCE)
      .all();
    if (deleted.results.length < FORGOTTEN_AT_ONCE) return;
  }
}

/** Selects the number of triggers. A migration that rebuilds a table takes its triggers along. */
export function countTriggers(binding: D1Database): D1PreparedStatement {
  return binding.prepare(
    `select count(*) as count from sqlite_master where type = 'trigger' and name glob '${TRIGGER}*'`,
  );
}

export function triggersOf(tables: BackedUpTable[]): number {
  return tables.length * 3;
}
