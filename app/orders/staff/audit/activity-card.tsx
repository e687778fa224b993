import { Card } from "#app/components/ui/card.tsx";
import { AuditList, type AuditRow } from "./audit-list.tsx";

/** A card with the audit entries about the subject of a page. */
export function ActivityCard({ entries }: { entries: AuditRow[] }) {
  return (
    <Card title="Activity" titleId="history" flush>
      <AuditList entries={entries} />
    </Card>
  );
}
