import { z as real } from "zod";
import { recording } from "./schema-registry.ts";

/** Stands in for "zod" while the product's schemas are recorded. */
export * from "zod";
export const z = {
  ...real,
  object: recording(real.object),
  strictObject: recording(real.strictObject),
  discriminatedUnion: recording(real.discriminatedUnion),
};
