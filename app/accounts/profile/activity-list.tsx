import { RelativeDate } from "#app/components/formats/relative-date.tsx";

export type Activity = { id: number; at: number; sentence: string; network: string | null };

/** Lists the account's security events, newest first. */
export function ActivityList({ rows }: { rows: Activity[] }) {
  if (rows.length === 0) {
    return <p className="p-4 text-sm text-muted sm:px-5">Log-ins and changes to your security will appear here.</p>;
  }
  return (
    <ul className="divide-y divide-line">
      {rows.map(({ id, at, sentence, network }) => (
        <li key={id} className="px-4 py-2.5 text-sm sm:px-5">
          <p className="wrap-anywhere">{sentence}</p>
          <p className="text-muted">
            <RelativeDate at={at} />
            {network && ` · ${network}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
