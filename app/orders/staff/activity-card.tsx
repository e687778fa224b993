import { Card } from "#app/components/ui/card.tsx";
import { AuditList, type AuditRow } from "./audit-list.tsx";

/** What staff changed about the subject of a page. */
export function ActivityCard({ entries }: { entries: AuditRow[] }) {
  return (
    <Card title="Activity" titleId="history" flush>
      <AuditList entries={entries} />
    </Card>
  );
}
