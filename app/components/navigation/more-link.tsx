import { useSearchParams } from "@remix-run/react";
import { ButtonLink } from "#app/components/ui/button.tsx";

/** The links of a cursor-paged list: to the next page, and back to the first. `keepScroll`: for a list far down a page. */
export function MoreLink({
  name,
  next,
  keepScroll = false,
}: {
  name: string;
  next: string | number | null;
  keepScroll?: boolean;
}) {
  const [params] = useSearchParams();
  const isFirstPage = !params.has(name);
  if (next === null && isFirstPage) return null;
  const at = (value: string | null) => {
    const changed = new URLSearchParams(params);
    if (value === null) changed.delete(name);
    else changed.set(name, value);
    return `?${changed}`;
  };
  return (
    <nav aria-label="Pages" className="flex justify-between gap-3 border-t border-line p-3">
      {isFirstPage ? (
        <span />
      ) : (
        <ButtonLink to={at(null)} variant="secondary" preventScrollReset={keepScroll}>
          First page
        </ButtonLink>
      )}
      {next !== null && (
        <ButtonLink to={at(String(next))} variant="secondary" preventScrollReset={keepScroll}>
          Next page
        </ButtonLink>
      )}
    </nav>
  );
}

/** Drops the extra row that was read, and returns the cursor of the next page. */
export function pageOf<T, C extends string | number>(
  rows: T[],
  limit: number,
  cursor: (row: T) => C,
): { rows: T[]; next: C | null } {
  if (rows.length <= limit) return { rows, next: null };
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: last === undefined ? null : cursor(last) };
}
