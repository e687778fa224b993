import type { Random } from "#tests/faults/seeded-random.ts";
import type { JsonSchema } from "../surface/json-schema.ts";

/** Returns known good values of a field by its name, such as the ids on its page. */
export type KnownValues = (name: string) => readonly string[];

const MAX_ITEMS = 3;
const MAX_DEPTH = 6;
const USUAL_TEXTS = ["1", "a", "hello", "12.50", "100", "https://instagram.com/p/abc", "on"];

/** Returns a value that fits the schema as far as the schema says. */
export function generateValue(schema: JsonSchema, random: Random, known: KnownValues, name = "", depth = 0): unknown {
  const { pick, chance, upTo } = random;
  if (depth > MAX_DEPTH) return null;
  if ("const" in schema) return schema.const;
  if (schema.enum) return pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.length) return generateValue(pick(choices), random, known, name, depth + 1);
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => generateValue(part, random, known, name, depth + 1));
    return Object.assign({}, ...parts);
  }
  const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
  switch (type) {
    case "object": {
      const entries = Object.entries(schema.properties ?? {}).filter(
        ([field]) => schema.required?.includes(field) || chance(0.6),
      );
      return Object.fromEntries(
        entries.map(([field, inner]) => [field, generateValue(inner, random, known, field, depth + 1)]),
      );
    }
    case "array": {
      const length = schema.minItems ?? upTo(MAX_ITEMS);
      return Array.from({ length }, () => generateValue(schema.items ?? {}, random, known, name, depth + 1));
    }
    case "number":
    case "integer":
      return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1e6, pick([0, 1, 2, 10, 100, 1000])));
    case "boolean":
      return chance(0.5);
    case "null":
      return null;
    default:
      return textOf(schema, random, known(name));
  }
}

function textOf(schema: JsonSchema, { pick, chance }: Random, known: readonly string[]): string {
  if (known.length > 0 && chance(0.85)) return pick(known);
  const text = pick(USUAL_TEXTS);
  const padded = text.padEnd(schema.minLength ?? 0, "x");
  return padded.slice(0, schema.maxLength ?? padded.length);
}
