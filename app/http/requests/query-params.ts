/** Returns the value that equals `text`, or the first one for anything else. */
export function oneOf<T extends string>(values: readonly [T, ...T[]], text: string | null): T {
  return values.find((value) => value === text) ?? values[0];
}

/** Returns the path with these parameters. Leaves out those that are null or empty. */
export function withParams(path: string, params: Record<string, string | number | null>): string {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === "" ? path : `${path}?${query}`;
}
