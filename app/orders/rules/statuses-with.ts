import { ownValue } from "#app/own-value.ts";

/** Rules for each status. `satisfies Record<Status, …>` makes them exhaustive, so that no list can miss one. */
type Rules = Record<string, Readonly<Record<string, unknown>>>;

export type StatusWith<Known extends Rules, Part> = keyof Known &
  { [Status in keyof Known]: Known[Status] extends Part ? Status : never }[keyof Known];

/** Returns the statuses whose rule has all of `part`, in the order of the rules. */
export function statusesWith<Known extends Rules, const Part extends Partial<Known[keyof Known]>>(
  rules: Known,
  part: Part,
): StatusWith<Known, Part>[] {
  const statuses = Object.keys(rules) as (keyof Known)[];
  return statuses.filter((status): status is StatusWith<Known, Part> =>
    Object.entries(part).every(([name, value]) => ownValue<unknown>(rules[status], name) === value),
  );
}
