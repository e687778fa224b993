import { isRecord } from "#app/orders/providers/reading/members.ts";
import type { Random } from "#tests/faults/seeded-random.ts";

/** Changes one place of an answer's JSON, and returns the whole of it. */
type Change = (body: unknown, random: Random) => unknown;

/** Changes that leave an answer's meaning as it is: another panel writes the same so. */
export const KEEPING: Readonly<Record<string, Change>> = {
  "a number as a text": atLeaf((leaf) => (typeof leaf === "number" ? String(leaf) : leaf)),
  "a text as a number": atLeaf((leaf) => (isNumeral(leaf) ? Number(leaf) : leaf)),
  "inside of data": (body) => (isContainer(body) ? { data: body } : body),
  "a list of one": (body) => (isRecord(body) ? [body] : body),
  "a member that is null": atRecord((record) => ({ ...record, zz_extra: null })),
  "members in another order": atRecord((record) => Object.fromEntries(Object.entries(record).reverse())),
};

/** Changes that may take an answer's meaning away. */
export const CHANGING: Readonly<Record<string, Change>> = {
  "a member less": atRecord((record, random) => without(record, random)),
  "a row that is null": atContainer((container) =>
    Array.isArray(container) ? [null, ...container, null] : { ...container, "5003": null },
  ),
  "a list as a map": atContainer((container) => (Array.isArray(container) ? { ...container } : container)),
  "a map as a list": atContainer((container) => (Array.isArray(container) ? container : Object.values(container))),
  "a map as rows that name their key": atContainer((container) =>
    Array.isArray(container)
      ? container
      : Object.entries(container).map(([order, one]) => (isRecord(one) ? { order, ...one } : one)),
  ),
  "a row twice": atContainer((container) =>
    Array.isArray(container) ? [...container, ...container.slice(0, 1)] : { first: container, second: container },
  ),
  "nothing for a value": atLeaf((_, random) => random.pick([null, "", 0, false])),
  "another kind of value": atLeaf((leaf, random) => random.pick<unknown>([[leaf], { value: leaf }, {}, [], true, -1])),
  "inside of result with a flag": (body) => ({ status: "success", result: body }),
  "beside an error": atRecord((record, random) => ({ ...record, error: random.pick(["", "Order failed", null, {}]) })),
};

function isNumeral(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,9}$/.test(value) && String(Number(value)) === value;
}

function without(record: Record<string, unknown>, random: Random): Record<string, unknown> {
  const names = Object.keys(record);
  if (names.length === 0) return record;
  const { [random.pick(names)]: _, ...left } = record;
  return left;
}

function isContainer(value: unknown): value is unknown[] | Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function atLeaf(change: Change): Change {
  return at((value) => !isContainer(value), change);
}

function atRecord(change: (record: Record<string, unknown>, random: Random) => unknown): Change {
  return at(isRecord, (value, random) => (isRecord(value) ? change(value, random) : value));
}

function atContainer(change: (container: unknown[] | Record<string, unknown>) => unknown): Change {
  return at(isContainer, (value) => (isContainer(value) ? change(value) : value));
}

/** Changes one of the places that fit, by chance. */
function at(fits: (value: unknown) => boolean, change: Change): Change {
  return (body, random) => {
    const paths = pathsIn(body).filter((path) => fits(valueAt(body, path)));
    return paths.length === 0 ? body : changedAt(body, random.pick(paths), (value) => change(value, random));
  };
}

function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (!isContainer(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([name, one]) => pathsIn(one, [...path, name]))];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isContainer(found) ? Reflect.get(found, name) : undefined), value);
}

function changedAt(value: unknown, [name, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  const inside = (one: unknown, own: string) => (own === name ? changedAt(one, rest, change) : one);
  if (Array.isArray(value)) return value.map((one, index) => inside(one, String(index)));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([own, one]) => [own, inside(one, own)]));
}
