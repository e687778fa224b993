import { cleanName } from "#app/http/clean-text.ts";
import { parsePercent, percentText } from "#app/orders/rules/margin.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";
import { MOST_CHARACTERS } from "#app/orders/services/service-guard.ts";
import { MICRO } from "#app/product.ts";
import { type BulkChange, MARGIN, PRICE_CHANGE } from "./bulk-change.ts";
import { BULK_KINDS, type BulkKind } from "./bulk-change-text.ts";

const MAX_STEP = 1000 * MICRO;

/** A change as a URL has it. `change` is null while a field is missing or wrong. */
export type BulkInput = {
  kind: BulkKind;
  /** The texts of the fields, to show again. */
  values: { by: string; step: string; category: string };
  fieldErrors: Record<string, string>;
  change: BulkChange | null;
};

/** Reads a change from the parameters of a URL: `change`, and `by`, `step` or `to` as it needs them. */
export function readBulkInput(params: URLSearchParams): BulkInput {
  const text = (name: string) => params.get(name)?.trim() ?? "";
  const kind = BULK_KINDS.find((known) => known === params.get("change")) ?? "price";
  const values = { by: text("by"), step: text("step"), category: cleanName(text("to")) };
  // A field that is not in the URL has not been filled in yet.
  const isSent = params.has("by") || params.has("step") || params.has("to");
  const read = changeOf(kind, values);
  if ("change" in read) return { kind, values, fieldErrors: {}, change: read.change };
  return { kind, values, fieldErrors: isSent ? read.fieldErrors : {}, change: null };
}

function changeOf(
  kind: BulkKind,
  values: BulkInput["values"],
): { change: BulkChange } | { fieldErrors: Record<string, string> } {
  const step = readStep(values.step);
  if (step === undefined) return { fieldErrors: { step: "Enter an amount up to 1,000, like 0.05" } };
  switch (kind) {
    case "price": {
      const part = readPercent(values.by, PRICE_CHANGE);
      if (part === null || part === 0) return { fieldErrors: { by: `Enter ${boundsText(PRICE_CHANGE)}, and not 0` } };
      return { change: { kind, part, step } };
    }
    case "margin": {
      const margin = readPercent(values.by, MARGIN);
      return margin === null
        ? { fieldErrors: { by: `Enter ${boundsText(MARGIN)}` } }
        : { change: { kind, margin, step } };
    }
    case "round":
      return step === null ? { fieldErrors: { step: "Choose what to round up to" } } : { change: { kind, step } };
    case "category": {
      const { category } = values;
      if (category === "") return { fieldErrors: { to: "Enter a category" } };
      if (category.length > MOST_CHARACTERS.category)
        return { fieldErrors: { to: `Use at most ${MOST_CHARACTERS.category} characters` } };
      return { change: { kind, category } };
    }
    case "on":
    case "off":
      return { change: { kind: "sale", enabled: kind === "on" } };
    default:
      return kind satisfies never;
  }
}

function readPercent(text: string, { min, max }: { min: number; max: number }): number | null {
  const parts = parsePercent(text);
  return parts !== null && parts >= min && parts <= max ? parts : null;
}

/** Returns null for no rounding, and undefined for what is no step. */
function readStep(text: string): number | null | undefined {
  if (text === "") return null;
  const step = parseDecimal(text);
  return step !== null && step > 0 && step <= MAX_STEP ? step : undefined;
}

function boundsText({ min, max }: { min: number; max: number }): string {
  return `a percentage from ${percentText(min)} to ${percentText(max)}`;
}
