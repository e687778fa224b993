import { ButtonLink } from "#app/components/ui/button.tsx";

/** The links of a cursor-paged list: back to the newest entries, and on to older ones. */
export function Pager({
  newest,
  older,
  labels = ["Newest", "Older"],
  children,
}: {
  /** The URL of the first page. Null on the first page. */
  newest: string | null;
  /** The URL of the next page. Null on the last page. */
  older: string | null;
  labels?: [string, string];
  children?: React.ReactNode;
}) {
  if (newest === null && older === null && !children) return null;
  return (
    <nav
      aria-label="Pages of this list"
      className="flex min-h-14 flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-2 sm:px-5 print:hidden"
    >
      <div className="mr-auto text-sm text-muted">{children}</div>
      {newest !== null && (
        <ButtonLink to={newest} variant="secondary">
          {labels[0]}
        </ButtonLink>
      )}
      {older !== null && (
        <ButtonLink to={older} variant="secondary">
          {labels[1]}
        </ButtonLink>
      )}
    </nav>
  );
}
