import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { daysText } from "#app/orders/delivery/days-text.ts";
import { shortDeliveryText } from "#app/orders/delivery/delivery-time.ts";
import type { PriceLine } from "./price-list.server.ts";
import type { TimedLine } from "./service-facts.tsx";
import { servicePath } from "./service-path.ts";

/** The services of a page of the price list, under the names of their networks and categories. */
export function PriceList({ lines }: { lines: TimedLine[] }) {
  return (
    <div className="flex flex-col gap-8">
      {groupsOf(lines).map(({ group, members }) => (
        <section key={members[0]?.id} aria-label={group} className="defer-paint">
          <h2 className="mb-2 text-base">{group}</h2>
          <PriceLines lines={members} />
        </section>
      ))}
    </div>
  );
}

export function PriceLines({ lines }: { lines: TimedLine[] }) {
  const { number } = useFormats();
  return (
    <ul className="divide-y divide-line overflow-clip rounded-md border border-line bg-raised">
      {lines.map((line) => (
        <li
          key={line.id}
          className="relative grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm hover:bg-sunken sm:px-5"
        >
          <Link to={servicePath(line)} className="min-w-0 font-medium after:absolute after:inset-0 hover:underline">
            {line.name}
          </Link>
          <span className="text-right font-medium">
            <Rate micro={line.rate} />
          </span>
          <p className="min-w-0 text-muted">
            <span className="font-mono">{line.id}</span>
            {!line.perOrder && ` · ${number(line.min)} to ${number(line.max)}`}
            {offeredOf(line).map((name) => ` · ${name}`)}
          </p>
          <span className="text-right whitespace-nowrap text-muted">
            {line.perOrder ? "per order" : `per ${number(1000)}`}
          </span>
          {line.time && <p className="col-span-2 text-xs text-muted">{shortDeliveryText(line.time, number)}</p>}
        </li>
      ))}
    </ul>
  );
}

function offeredOf({ refill, refillDays, cancel, dripfeed }: PriceLine): string[] {
  const refills = refillDays === null ? "refill" : `refill for ${daysText(refillDays)}`;
  return [refill && refills, cancel && "cancelable", dripfeed && "drip-feed"].filter((name) => name !== false);
}

function groupsOf(lines: TimedLine[]) {
  const groups: { group: string; members: TimedLine[] }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.group === line.group) last.members.push(line);
    else groups.push({ group: line.group, members: [line] });
  }
  return groups;
}
