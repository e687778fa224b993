import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";

/** Something that waits for a person. Counting stops at `countedTo`. */
export type OpenDecision = { name: string; count: number; to: string; countedTo: number };

/** What waits for a person, with the list of each. What nothing waits in is shown too, so that each has its place. */
export function OpenDecisions({ decisions }: { decisions: OpenDecision[] }) {
  const { number } = useFormats();
  return (
    <Card title="Needs your attention" titleId="decisions" flush>
      <ul className="grid sm:grid-cols-2 lg:grid-cols-1">
        {decisions.map(({ name, count, to, countedTo }) => (
          <li key={name} className="border-b border-line last:border-b-0">
            <Link
              to={to}
              className="flex min-h-11 items-center justify-between gap-4 px-4 text-sm hover:bg-sunken focus-visible:-outline-offset-2 sm:min-h-10 sm:px-5"
            >
              <span className={count === 0 ? "text-muted" : ""}>{name}</span>
              <span className={`tabular ${count === 0 ? "text-muted" : "font-medium"}`}>
                {number(count)}
                {count >= countedTo && "+"}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
