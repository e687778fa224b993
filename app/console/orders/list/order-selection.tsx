import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { SelectionBar } from "#app/components/table/selection-bar.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";

/** As many as one form decides on. */
const MAX_SELECTED = 100;
const DECISIONS = [
  ["again", "Send again…"],
  ["refund", "Cancel and refund…"],
  ["follow", "Track…"],
] as const;

/** What can be done with the chosen orders of a page. Links to the page that previews a decision. */
export function OrderSelection({ selected }: { selected: ReadonlySet<string> }) {
  const { number } = useFormats();
  return (
    <SelectionBar isShown={selected.size > 0}>
      {selected.size > MAX_SELECTED ? (
        <span>
          {number(selected.size)} selected. Select at most {number(MAX_SELECTED)} to decide on them together.
        </span>
      ) : (
        <>
          <span className="tabular">{number(selected.size)} selected</span>
          {DECISIONS.map(([decide, text]) => (
            <ButtonLink
              key={decide}
              to={`/admin/orders/bulk?${new URLSearchParams([
                ...[...selected].map((id): [string, string] => ["id", id]),
                ["decide", decide],
              ])}`}
              variant="secondary"
            >
              {text}
            </ButtonLink>
          ))}
        </>
      )}
    </SelectionBar>
  );
}
