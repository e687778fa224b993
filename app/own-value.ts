/**
 * Returns a record's own value under a name that may come from outside. A plain access would also find what every object
 * inherits, such as "constructor".
 */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>> | null | undefined,
  name: string,
): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
