import type * as v from "valibot";
import { z } from "zod";

/** The part of JSON Schema by which values are generated. */
export type JsonSchema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

type ValibotSchema = v.GenericSchema & Record<string, unknown>;

/** Returns the JSON Schema of what a zod or valibot schema takes, or null for anything else. */
export function jsonSchemaOf(schema: unknown): JsonSchema | null {
  if (typeof schema !== "object" || schema === null) return null;
  if ("_zod" in schema) {
    return z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" }) as JsonSchema;
  }
  return "kind" in schema && schema.kind === "schema" ? fromValibot(schema as ValibotSchema) : null;
}

function fromValibot(schema: ValibotSchema): JsonSchema {
  switch (schema.type) {
    case "object":
    case "strict_object": {
      const entries = Object.entries(schema.entries as Record<string, ValibotSchema>);
      return {
        type: "object",
        properties: Object.fromEntries(
          entries.map(([name, entry]) => [name, { ...limitsOf(entry), ...fromValibot(entry) }]),
        ),
        required: entries.filter(([, entry]) => entry.type !== "optional").map(([name]) => name),
      };
    }
    case "variant":
      return { anyOf: (schema.options as ValibotSchema[]).map(fromValibot) };
    case "optional":
    case "nullable":
      return fromValibot(schema.wrapped as ValibotSchema);
    case "array":
      return { type: "array", items: fromValibot(schema.item as ValibotSchema) };
    case "literal":
      return { const: schema.literal };
    case "picklist":
      return { enum: schema.options as unknown[] };
    default:
      return ["string", "number", "boolean"].includes(String(schema.type)) ? { type: String(schema.type) } : {};
  }
}

/** Returns the bounds that a valibot pipe sets. */
function limitsOf(schema: ValibotSchema): JsonSchema {
  const limits: JsonSchema = {};
  for (const item of (schema.pipe as { type: string; requirement?: unknown }[] | undefined) ?? []) {
    if ("pipe" in item) Object.assign(limits, limitsOf(item as unknown as ValibotSchema));
    if (item.type === "max_length") limits.maxLength = Number(item.requirement);
    if (item.type === "min_length") limits.minLength = Number(item.requirement);
    if (item.type === "min_value") limits.minimum = Number(item.requirement);
    if (item.type === "regex") limits.pattern = (item.requirement as RegExp).source;
  }
  return limits;
}
