import { ORDER_FIELD_NAMES, type OrderFields } from "./order-input.ts";

/**
 * Digests what was asked for in one order: SHA-256, hex. A repeated idempotency key is compared by it.
 * Empty fields are left out, so that a field added to the product later changes no earlier digest: a retry may cross a
 * deployment.
 */
export function digestOfOrder(serviceId: number, fields: OrderFields): Promise<string> {
  const given = ORDER_FIELD_NAMES.map((name) => [name, fields[name]?.trim() ?? ""] as const);
  const sorted = given.filter(([, value]) => value !== "").sort(([one], [other]) => (one < other ? -1 : 1));
  return digestOfJson([serviceId, sorted]);
}

/** Digests the lines of a mass order and whether lines with errors are left out. */
export function digestOfMassOrder({ text, onlyValid }: { text: string; onlyValid: boolean }): Promise<string> {
  return digestOfJson([onlyValid, text]);
}

async function digestOfJson(content: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
