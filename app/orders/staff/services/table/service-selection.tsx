import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { COUNTED_TO } from "./service-filter-names.ts";

/**
 * What can be done with the selection: chosen rows of the page, or all that match the filter. Links to the page that
 * previews a change, so that all matching services can be changed without scripts, too.
 */
export function ServiceSelection({
  selected,
  isPageSelected,
  filterParams,
  matching,
}: {
  selected: ReadonlySet<string>;
  /** Whether every row of the page is selected. */
  isPageSelected: boolean;
  /** The filter as it is in the URL. */
  filterParams: [string, string][];
  matching: number;
}) {
  const { number } = useFormats();
  const isMore = matching > COUNTED_TO;
  const all = `/admin/services/bulk?${new URLSearchParams([["all", "1"], ...filterParams])}`;
  const chosen = `/admin/services/bulk?${new URLSearchParams([
    ...[...selected].map((id): [string, string] => ["id", id]),
    ...filterParams,
  ])}`;
  const count = isMore ? `${number(COUNTED_TO)}+` : number(matching);
  return (
    <div
      role="status"
      className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-sm sm:px-5 print:hidden"
    >
      {selected.size === 0 ? (
        <span className="text-muted">
          {count} {matching === 1 ? "service matches" : "services match"}
        </span>
      ) : (
        <>
          <span>{number(selected.size)} selected</span>
          <ButtonLink to={chosen}>Change {number(selected.size)}…</ButtonLink>
        </>
      )}
      {isMore ? (
        <span className="text-muted">Narrow the filter to change all of them together.</span>
      ) : (
        matching > 0 &&
        (isPageSelected ? (
          <ButtonLink to={all} variant="secondary">
            Change all {count} that match…
          </ButtonLink>
        ) : (
          selected.size === 0 && (
            <Link to={all} className="inline-flex h-11 items-center underline underline-offset-4 sm:h-9">
              Change all {count}…
            </Link>
          )
        ))
      )}
    </div>
  );
}
