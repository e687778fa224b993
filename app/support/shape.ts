/**
 * What a value has to look like, and its type with it. As little of zod as the chat's frames need: with zod the panel that
 * every visitor loads would be twice as large.
 */
export type Shape<T> = (value: unknown) => value is T;
export type Infer<S> = S extends Shape<infer T> ? T : never;

type Fields = Record<string, Shape<unknown>>;
type OptionalKey<F extends Fields> = { [K in keyof F]: undefined extends Infer<F[K]> ? K : never }[keyof F];
type Of<F extends Fields> = { [K in Exclude<keyof F, OptionalKey<F>>]: Infer<F[K]> } & {
  [K in OptionalKey<F>]?: Infer<F[K]>;
} extends infer T
  ? { [K in keyof T]: T[K] }
  : never;

export function text(fits: (text: string) => boolean = () => true): Shape<string> {
  return (value): value is string => typeof value === "string" && fits(value);
}

export function whole(least = Number.MIN_SAFE_INTEGER): Shape<number> {
  return (value): value is number => Number.isSafeInteger(value) && (value as number) >= least;
}

export function flag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function oneOf<const T extends string>(...values: T[]): Shape<T> {
  return (value): value is T => (values as unknown[]).includes(value);
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value): value is T | null => value === null || shape(value);
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value): value is T | undefined => value === undefined || shape(value);
}

export function listOf<T>(shape: Shape<T>): Shape<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(shape);
}

/** Further fields are let pass: a newer server may send them. */
export function record<F extends Fields>(fields: F): Shape<Of<F>> {
  const names = Object.keys(fields);
  return (value): value is Of<F> => isObject(value) && names.every((name) => fields[name]?.(value[name]) ?? false);
}

/** Further fields are refused. */
export function exactly<F extends Fields>(fields: F): Shape<Of<F>> {
  const fits = record(fields);
  return (value): value is Of<F> => fits(value) && Object.keys(value).every((name) => Object.hasOwn(fields, name));
}

/** The one whose name is in `type`. */
export function byType<F extends Fields>(
  shapes: F,
): Shape<{ [K in keyof F]: { type: K } & Infer<F[K]> extends infer T ? { [P in keyof T]: T[P] } : never }[keyof F]> {
  return (value): value is never => {
    if (!isObject(value) || typeof value.type !== "string" || !Object.hasOwn(shapes, value.type)) return false;
    return shapes[value.type]?.(value) ?? false;
  };
}

/** Null for what does not fit. */
export function take<T>(shape: Shape<T>, value: unknown): T | null {
  return shape(value) ? value : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
