import { z } from "zod";
import { cleanName } from "#app/http/clean-text.ts";
import { parsePercent } from "#app/orders/rules/margin.ts";
import { DAY_MS } from "#app/time.ts";
import { count, money } from "../staff-fields.server.ts";
import type { Field, Fields, FieldValues } from "./fields.ts";

type Schema<Value = unknown> = z.ZodType<Value, string | undefined>;

/**
 * Returns the schema of a resource's form: from the texts of its fields to their values. `own`: schemas of fields that their
 * kind alone doesn't describe.
 */
export function fieldSchemas<const All extends Fields, Own extends { [Name in keyof All]?: Schema }>(
  fields: All,
  own: Own,
): z.ZodObject<{
  [Name in keyof All]: Own[Name] extends Schema<infer Value> ? Schema<Value> : Schema<FieldValues<All>[Name]>;
}> {
  const shape = Object.entries(fields).map(([name, field]) => [name, own[name] ?? schemaOf(field)]);
  // The shape has the keys of `fields`, each with the schema of its own kind.
  return z.object(Object.fromEntries(shape)) as never;
}

function schemaOf(field: Field): Schema {
  const empty = z.literal("").transform(() => (isText(field) ? "" : null));
  return field.optional ? z.union([empty, valueSchema(field)]).default(isText(field) ? "" : null) : valueSchema(field);
}

function isText({ kind }: Field): boolean {
  return kind === "line" || kind === "text" || kind === "choice";
}

function valueSchema(field: Field): Schema {
  switch (field.kind) {
    case "line":
      return z
        .string()
        .transform(cleanName)
        .pipe(z.string().min(1, "Required").max(field.max, `Use at most ${field.max} characters`))
        .superRefine((text, context) => {
          const error = field.check?.(text);
          if (error) context.addIssue(error);
        });
    case "text":
      return z
        .string()
        .transform((text) => text.replaceAll("\r\n", "\n").trim())
        .pipe(z.string().max(field.max, `Use at most ${field.max.toLocaleString("en-US")} characters.`));
    case "money":
      return field.above === undefined
        ? money
        : money.refine((amount) => amount > (field.above ?? 0), "Enter an amount above 0");
    case "percent":
      return z
        .string()
        .transform(parsePercent)
        .pipe(z.number("Enter a percentage like 10 or 12.5"))
        .refine(isWithin(field), `Enter ${field.min / 100} to ${field.max / 100} percent`);
    case "count":
      return count.refine(isWithin(field), `Enter ${field.min} to ${field.max.toLocaleString("en-US")}`);
    case "day":
      return z.iso.date("Enter a date").transform((text) => Date.parse(text));
    case "lastDay":
      return z.iso.date("Enter a date").transform((text) => Date.parse(text) + DAY_MS);
    case "moment":
      return z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/, "Enter a date and a time")
        .transform((text) => Date.parse(`${text}Z`))
        .pipe(z.int("Enter a date and a time"));
    case "choice":
      return z.enum(Object.keys(field.values), "Choose one");
  }
}

function isWithin({ min, max }: { min: number; max: number }) {
  return (value: number) => value >= min && value <= max;
}
