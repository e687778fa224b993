import * as real from "valibot";
import { recording } from "./schema-registry.ts";

/** Stands in for "valibot" while the product's schemas are recorded. */
export * from "valibot";
export const object = recording(real.object as (...given: never[]) => unknown);
export const strictObject = recording(real.strictObject as (...given: never[]) => unknown);
export const variant = recording(real.variant as (...given: never[]) => unknown);
