const MAX_ID = 2_147_483_647;

/** An order's, a service's or an entry's number out of an address; null for anything else. */
export function orderId(text: string | null | undefined): number | null {
  const id = /^\d{1,10}$/.test(text ?? "") ? Number(text) : 0;
  return id >= 1 && id <= MAX_ID ? id : null;
}

/** One of the values, or the first for anything else. */
export function oneOf<T extends string>(values: readonly [T, ...T[]], text: string | null): T {
  return values.find((value) => value === text) ?? values[0];
}

/** The path with those parameters, leaving out what is empty. */
export function withParams(path: string, params: Record<string, string | number | null>): string {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === "" ? path : `${path}?${query}`;
}
