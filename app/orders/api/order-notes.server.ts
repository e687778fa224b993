import type { OrderMetadata } from "#app/db/schema.server.ts";
import { outsideJson } from "#app/http/outside-json.ts";
import type { ApiFields } from "#app/http/requests/api-request.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";
import type { OrderFault, OrderNotes } from "#app/orders/rules/order-input.ts";

// Checks what a program may send with an order besides the order's own fields.

export const MAX_REFERENCE_CHARACTERS = 100;
export const MAX_METADATA_ENTRIES = 20;
export const MAX_METADATA_NAME_CHARACTERS = 40;
export const MAX_METADATA_TEXT_CHARACTERS = 500;
/** All of it, as JSON. */
export const MAX_METADATA_CHARACTERS = 2000;

/** Control characters and halves of surrogate pairs. */
const UNSEEN = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

type Extras = {
  /** Micro-units. Absent: any charge. */
  maxCharge?: number;
  notes: OrderNotes;
};

/** Parses `max_charge`, `reference` and `metadata` of a request that places an order. */
export function parseOrderExtras(fields: ApiFields): ({ ok: true } & Extras) | { ok: false; fault: OrderFault } {
  const notes: OrderNotes = {};
  const { max_charge: written, reference, metadata } = fields;
  const maxCharge = written === undefined ? undefined : parseDecimal(written);
  if (maxCharge === null) return invalid("max_charge", "max_charge must be a decimal such as 0.90");
  if (reference !== undefined) {
    const parsed = parseReference(reference);
    if (parsed === null) {
      return invalid("reference", `reference must be 1 to ${MAX_REFERENCE_CHARACTERS} characters on one line`);
    }
    notes.reference = parsed;
  }
  if (metadata !== undefined && metadata.trim() !== "") {
    const parsed = parseMetadata(metadata);
    if (parsed === null) return invalid("metadata", METADATA_FAULT);
    if (Object.keys(parsed).length > 0) notes.metadata = parsed;
  }
  return { ok: true, notes, ...(maxCharge !== undefined && { maxCharge }) };
}

/** Returns a reference without the spaces around it, or null if it can be none. */
export function parseReference(text: string): string | null {
  const reference = text.trim();
  return reference !== "" && reference.length <= MAX_REFERENCE_CHARACTERS && !UNSEEN.test(reference) ? reference : null;
}

const METADATA_FAULT = `metadata must be a JSON object of up to ${MAX_METADATA_ENTRIES} texts, numbers and booleans and ${MAX_METADATA_CHARACTERS} characters`;

function parseMetadata(text: string): OrderMetadata | null {
  if (text.length > MAX_METADATA_CHARACTERS) return null;
  const body = outsideJson(text, 1 + MAX_METADATA_ENTRIES);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  const entries = Object.entries(body);
  if (entries.length > MAX_METADATA_ENTRIES || !entries.every(isEntry)) return null;
  return Object.fromEntries(entries);
}

function isEntry(entry: [string, unknown]): entry is [string, string | number | boolean] {
  const [name, value] = entry;
  if (name === "" || name.length > MAX_METADATA_NAME_CHARACTERS || UNSEEN.test(name)) return false;
  if (typeof value === "string") return value.length <= MAX_METADATA_TEXT_CHARACTERS && !/\p{Cs}/u.test(value);
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

function invalid(field: string, text: string): { ok: false; fault: OrderFault } {
  return { ok: false, fault: { reason: "invalid_field", field, text } };
}
