import * as real from "zod/mini";
import { recording } from "./schema-registry.ts";

/** Stands in for "zod/mini" while the product's schemas are recorded. */
export * from "zod/mini";
export const object = recording(real.object);
export const strictObject = recording(real.strictObject);
export const discriminatedUnion = recording(real.discriminatedUnion);
