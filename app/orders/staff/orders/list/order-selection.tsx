import { useFormats } from "#app/components/formats/formats-provider.tsx";
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
    <div
      role="status"
      className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-sm sm:px-5 print:hidden"
    >
      {selected.size === 0 ? (
        <span className="text-muted">Select held orders to decide on several together.</span>
      ) : selected.size > MAX_SELECTED ? (
        <span>
          {number(selected.size)} selected. Select at most {number(MAX_SELECTED)} to decide on them together.
        </span>
      ) : (
        <>
          <span>{number(selected.size)} selected</span>
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
    </div>
  );
}
