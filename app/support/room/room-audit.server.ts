import type { Agent } from "#app/support/protocol/console-frames.ts";
import { selectRows } from "./sql-rows.server.ts";

/** An agent's action on its way to the audit log in D1. `id` is unique in the room. */
export type AuditEntry = { id: number; actor: Agent; action: string; detail: Record<string, unknown> };

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS audit_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    version INTEGER NOT NULL
  ) STRICT;
`;

type AuditRow = { id: number; actor_id: string; actor_name: string; action: string; detail: string };

/** The audit entries of one conversation that D1 does not have yet, in the room's own SQLite. */
export class RoomAudit {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(): void {
    this.#sql.exec(SCHEMA);
  }

  /** `version`: the session's, with the change being recorded. */
  add(version: number, by: Agent, action: string, detail: Record<string, unknown>): void {
    this.#sql.exec(
      "INSERT INTO audit_entries (actor_id, actor_name, action, detail, version) VALUES (?, ?, ?, ?, ?)",
      by.id,
      by.name,
      action,
      JSON.stringify(detail),
      version,
    );
  }

  changedSince(version: number): AuditEntry[] {
    return selectRows<AuditRow>(
      this.#sql,
      "SELECT id, actor_id, actor_name, action, detail FROM audit_entries WHERE version > ? ORDER BY id",
      version,
    ).map(({ id, actor_id, actor_name, action, detail }) => ({
      id,
      actor: { id: actor_id, name: actor_name },
      action,
      detail: JSON.parse(detail),
    }));
  }

  deleteUpTo(version: number): void {
    this.#sql.exec("DELETE FROM audit_entries WHERE version <= ?", version);
  }
}
