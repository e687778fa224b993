import { Form, Link } from "@remix-run/react";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import { type ReactNode, useState } from "react";
import { useTimeZone } from "#app/components/formats/use-time-zone.ts";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";

/** The days that a list is narrowed to, as the URL has them. */
export type Days = { from: string; to: string; zone: string };

/**
 * The filters of a list, as a form that changes the URL: a search, further fields, and days in the reader's time zone.
 * `kept`: parameters of the URL that stay. On a phone, further fields are folded until one of them is in use.
 */
export function ListFilters({
  id,
  search,
  days,
  kept = {},
  clearTo,
  tools,
  children,
}: {
  /** The prefix of the fields' ids. */
  id: string;
  search?: { value: string; label: string; placeholder: string };
  days?: Days;
  kept?: Record<string, string | null>;
  /** The list without filters. Null if it has none. */
  clearTo: string | null;
  /** Further actions of the list, at the end of the last line. */
  tools?: ReactNode;
  children?: ReactNode;
}) {
  const canFold = children !== undefined;
  const [isOpen, setIsOpen] = useState(clearTo !== null);
  const folded = canFold && !isOpen ? "max-sm:not-noscript:hidden" : "";
  return (
    <Form
      method="get"
      role="search"
      className={`grid w-full grid-cols-2 items-end gap-x-2 gap-y-3 py-2 pr-2 sm:flex sm:flex-wrap sm:pr-0 ${tools ? "" : "sm:w-auto"}`}
    >
      {Object.entries(kept).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      {search && (
        <Field id={`${id}-search`} label={search.label} className="col-span-2 sm:w-72">
          {(control) => (
            <Input
              {...control}
              key={search.value}
              name="q"
              defaultValue={search.value}
              placeholder={search.placeholder}
              autoComplete="off"
            />
          )}
        </Field>
      )}
      <div id={`${id}-fields`} className={`contents ${folded}`}>
        {children}
        {days && <DayFields id={id} days={days} />}
      </div>
      <div className="col-span-2 flex items-center gap-3">
        {canFold && (
          <Button
            variant="secondary"
            aria-expanded={isOpen}
            aria-controls={`${id}-fields`}
            onClick={() => setIsOpen(!isOpen)}
            className="sm:hidden"
          >
            <SlidersHorizontal aria-hidden className="size-4" />
            Filters
          </Button>
        )}
        <Button type="submit" variant="secondary" className={`max-sm:flex-1 sm:h-10 ${search ? "" : folded}`}>
          {search ? "Search" : "Filter"}
        </Button>
        {clearTo !== null && (
          <Link to={clearTo} className="inline-flex h-11 items-center text-sm underline underline-offset-4 sm:h-10">
            Clear
          </Link>
        )}
      </div>
      {tools}
    </Form>
  );
}

/** Days in the reader's time zone, both included in the list. Without scripts, they are days in UTC. */
function DayFields({ id, days }: { id: string; days: Days }) {
  const zone = useTimeZone(days.zone);
  const day = (name: "from" | "to", label: string) => (
    <Field id={`${id}-${name}`} label={label} className="sm:w-40">
      {(control) => <Input {...control} key={days[name]} type="date" name={name} defaultValue={days[name]} />}
    </Field>
  );
  return (
    <>
      <input type="hidden" name="zone" value={zone} />
      {day("from", "From")}
      {day("to", "To")}
    </>
  );
}
