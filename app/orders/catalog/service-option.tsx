import Star from "lucide-react/icons/star";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { shortDeliveryText } from "#app/orders/delivery/delivery-time.ts";
import type { CatalogEntry } from "./offers.server.ts";

/** One service in the list of the picker. */
export function ServiceOption({
  entry,
  chosen,
  active,
  favorite,
  onChoose,
}: {
  entry: CatalogEntry;
  chosen: boolean;
  active: boolean;
  favorite: boolean;
  onChoose: () => void;
}) {
  const { number } = useFormats();
  const time = shortDeliveryText(entry.times, number);
  return (
    // Focus stays in the search field, whose keys move over the options.
    // biome-ignore lint/a11y/useFocusableInteractive: the field refers to it by aria-activedescendant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      id={optionId(entry)}
      role="option"
      aria-selected={chosen}
      onClick={onChoose}
      className={`flex min-h-13 cursor-pointer items-center gap-3 border-l-2 px-3 py-1.5 text-sm ${chosen ? "border-accent bg-raised" : "border-transparent"} ${active ? "bg-sunken outline-2 -outline-offset-2 outline-line-strong" : "hover:bg-sunken"}`}
    >
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-1.5">
          <span className="truncate" title={entry.name}>
            {entry.name}
          </span>
          {favorite && <Star aria-label="Favorite" role="img" className="size-3.5 shrink-0 fill-accent text-accent" />}
        </p>
        <p className="truncate text-xs text-muted">
          <span className="font-mono">{entry.id}</span> · {entry.category} · {number(entry.min)} to {number(entry.max)}
        </p>
        {time && <p className="text-xs text-muted">{time}</p>}
      </div>
      <Rate micro={entry.rate} />
    </div>
  );
}

/** The element that `aria-activedescendant` refers to. */
export function optionId({ id }: Pick<CatalogEntry, "id">): string {
  return `service-${id}`;
}
