import { type Field, momentText } from "#app/console/resource/fields.ts";
import type { Resource, ResourceType } from "#app/console/resource/resource.ts";
import { ALL_STORES } from "#app/console/stores/all-stores.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "./customer.ts";

const STAFF = { userId: "staff", name: "Grace" };

/** Returns what the form of a new record of that name would send: each field as it starts, or else a value that it takes. */
export function sampleOf({ fields, nameField }: Pick<Resource, "fields" | "nameField">, name: string) {
  const texts = Object.entries(fields).map(([key, field]) => [key, key === nameField ? name : textFor(field)]);
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Stores so many records of each kind that staff manage, or of one, or as many as there can be. `from`: their first number. */
export async function fillResources(
  count: number,
  { from = 1, only }: { from?: number; only?: ResourceType } = {},
): Promise<void> {
  for (const { resource, input, save } of ALL_STORES) {
    if (only !== undefined && resource.type !== only) continue;
    for (let n = from; n < from + count; n++) {
      const read = input.parse(sampleOf(resource, `Whole${n}`));
      const stored = await save(db, STAFF, null, read, crypto.randomUUID());
      if (!stored.ok) break;
    }
  }
}

function textFor(field: Field): string {
  if (field.initial !== undefined) return String(field.initial);
  if (field.optional && field.kind !== "text") return "";
  switch (field.kind) {
    case "line":
    case "text":
      return "Sample";
    case "money":
    case "percent":
    case "count":
      return "5";
    case "day":
    case "lastDay":
      return new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    case "moment":
      // Not yet: other tests in this worker open pages, and the isolate remembers what these show.
      return momentText(Date.now() + DAY_MS + field.fromNow);
    case "choice":
      return Object.keys(field.values)[0] ?? "";
  }
}
