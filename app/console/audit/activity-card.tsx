import { Card } from "#app/components/ui/card.tsx";
import { AuditList } from "./audit-list.tsx";
import type { AuditRow } from "./audit-row.ts";

/** A card with the audit entries about the subject of a page. Only admins can open an entry. */
export function ActivityCard({ entries, opens = true }: { entries: AuditRow[]; opens?: boolean }) {
  return (
    <Card title="Activity" titleId="history" flush>
      <AuditList entries={entries} opens={opens} />
    </Card>
  );
}
