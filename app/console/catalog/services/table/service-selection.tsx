import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { SelectionBar } from "#app/components/table/selection-bar.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { COUNTED_TO } from "./service-filter-names.ts";

type Matching = {
  /** The filter as it is in the URL. */
  filterParams: [string, string][];
  /** The number of services that match it, as far as they are counted. */
  matching: number;
};

/** How many services match, and a link to the page that changes all of them, before other links of the list. */
export function MatchingServices({ filterParams, matching, children }: Matching & { children: ReactNode }) {
  const count = useMatchingCount(matching);
  return (
    <>
      <span role="status" className="tabular text-sm text-muted">
        {count} {matching === 1 ? "service" : "services"}
        {filterParams.length > 0 && (matching === 1 ? " matches" : " match")}
      </span>
      <div className="flex gap-2 max-sm:w-full sm:ml-auto">
        {matching > 0 && matching <= COUNTED_TO && (
          <ButtonLink to={allOf(filterParams)} variant="secondary">
            Change all {count}…
          </ButtonLink>
        )}
        {children}
      </div>
    </>
  );
}

/**
 * What can be done with the chosen rows of the page, or with all that match the filter once all rows of the page are chosen.
 * Links to the page that previews a change.
 */
export function ServiceSelection({
  selected,
  isPageSelected,
  filterParams,
  matching,
}: Matching & {
  selected: ReadonlySet<string>;
  /** Whether every row of the page is selected. */
  isPageSelected: boolean;
}) {
  const { number } = useFormats();
  const count = useMatchingCount(matching);
  const chosen = `/admin/services/bulk?${new URLSearchParams([
    ...[...selected].map((id): [string, string] => ["id", id]),
    ...filterParams,
  ])}`;
  return (
    <SelectionBar isShown={selected.size > 0}>
      <span className="tabular">{number(selected.size)} selected</span>
      <ButtonLink to={chosen}>Change {number(selected.size)}…</ButtonLink>
      {isPageSelected &&
        (matching > COUNTED_TO ? (
          <span className="text-muted">Narrow the filter to change all of them together.</span>
        ) : (
          <ButtonLink to={allOf(filterParams)} variant="secondary">
            Change all {count} that match…
          </ButtonLink>
        ))}
    </SelectionBar>
  );
}

function useMatchingCount(matching: number): string {
  const { number } = useFormats();
  return matching > COUNTED_TO ? `${number(COUNTED_TO)}+` : number(matching);
}

function allOf(filterParams: [string, string][]): string {
  return `/admin/services/bulk?${new URLSearchParams([["all", "1"], ...filterParams])}`;
}
