import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { type UnreadableEntry, whyUnreadable } from "#app/orders/providers/unreadable-entry.ts";

/** The entries of a catalog that can't be read, each with its reason and how it begins. `count` is of all, shown or not. */
export function UnreadableEntries({ entries, count }: { entries: UnreadableEntry[]; count: number }) {
  const { number } = useFormats();
  return (
    <details className="border-b border-line px-4 text-sm sm:px-5" open={count <= 3}>
      <summary className="cursor-pointer py-3">
        {number(count)} {count === 1 ? "entry" : "entries"} can't be read. Their services stay as they are.
      </summary>
      <ul className="grid gap-2 pb-3">
        {entries.map((entry, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries without an ID may be alike, and the list never changes
          <li key={at} className="min-w-0">
            <span className="mr-2 font-mono font-medium">{entry.id}</span>
            {whyUnreadable(entry)}
            <span className="block truncate font-mono text-xs text-muted" title={entry.raw}>
              {entry.raw}
            </span>
          </li>
        ))}
        {count > entries.length && <li className="text-muted">and {number(count - entries.length)} more</li>}
      </ul>
    </details>
  );
}
