import { MAX_INT32 } from "#app/product.ts";

/** Returns the row number in a parameter, or null for anything but a whole number from 1 to 2^31 - 1. */
export function parseId(text: FormDataEntryValue | null | undefined): number | null {
  const id = typeof text === "string" && /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= 1 && id <= MAX_INT32 ? id : null;
}

/** Parses a row number that a person wrote, maybe as "#12". Returns null for anything else. */
export function parseWrittenId(text: string): number | null {
  return parseId(text.trim().replace(/^#/, ""));
}

/** Returns the row number in a path. Throws 404 for anything else. */
export function requireId(param: string | undefined): number {
  const id = parseId(param);
  if (id === null) throw new Response(null, { status: 404 });
  return id;
}

/** Returns the id in a path where ids are text, such as UUIDs. Throws 404 if it is missing. */
export function requireTextId(param: string | undefined): string {
  if (!param) throw new Response(null, { status: 404 });
  return param;
}
