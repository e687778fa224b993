import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";

/** `countedTo`: as far as rows were counted. `to`: the page that lists them. */
export type Queue = { name: string; count: number; countedTo: number; to: string | null };

/** How much is waiting in each queue, and what became of the last emails. */
export function QueueCounts({ queues }: { queues: Queue[] }) {
  const { number } = useFormats();
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
      {queues.map(({ name, count, countedTo, to }) => (
        <div key={name} className="relative flex flex-col justify-between">
          <dt className="text-sm text-muted">
            {to === null ? (
              name
            ) : (
              // The number belongs to the target.
              <Link to={to} className="underline underline-offset-4 after:absolute after:inset-0">
                {name}
              </Link>
            )}
          </dt>
          <dd className="tabular mt-1 text-xl font-semibold">
            {number(Math.min(count, countedTo))}
            {count >= countedTo && "+"}
          </dd>
        </div>
      ))}
    </dl>
  );
}
