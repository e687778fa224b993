import type { AuditAction } from "#app/db/schema/audit-vocabulary.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import { selectRows } from "./sql-rows.server.ts";

/** An agent's action on its way to the audit log in D1. `key` is unique, and stays with it in another room. */
export type AuditEntry = { key: string; actor: Agent; action: AuditAction; detail: Record<string, unknown> };

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS pending_audit_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    once_key TEXT NOT NULL UNIQUE,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
`;

type AuditRow = { once_key: string; actor_id: string; actor_name: string; action: AuditAction; detail: string };

/** The audit entries of one conversation that D1 does not have yet, in the room's own SQLite. */
export class RoomAudit {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(): void {
    this.#sql.exec(SCHEMA);
  }

  /** `key`: of an entry that another room has recorded. */
  add(by: Agent, action: AuditAction, detail: Record<string, unknown>, key: string = crypto.randomUUID()): void {
    this.#sql.exec(
      "INSERT INTO pending_audit_entries (once_key, actor_id, actor_name, action, detail) VALUES (?, ?, ?, ?, ?)",
      key,
      by.id,
      by.name,
      action,
      JSON.stringify(detail),
    );
  }

  /** Returns the entries, oldest first. */
  pending(): AuditEntry[] {
    return selectRows<AuditRow>(
      this.#sql,
      "SELECT once_key, actor_id, actor_name, action, detail FROM pending_audit_entries ORDER BY id",
    ).map(({ once_key, actor_id, actor_name, action, detail }) => ({
      key: once_key,
      actor: { id: actor_id, name: actor_name },
      action,
      detail: JSON.parse(detail),
    }));
  }

  /** Deletes entries that D1 has; nothing reads them here. */
  delete(entries: AuditEntry[]): void {
    for (const { key } of entries) this.#sql.exec("DELETE FROM pending_audit_entries WHERE once_key = ?", key);
  }
}
