import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "#tools/run/build.ts";
import type { JsonSchema } from "./json-schema.ts";

/** A route of the build. `schemas` are those of its modules, the nearest first. */
export type SurfaceRoute = {
  pattern: string;
  hasLoader: boolean;
  hasAction: boolean;
  isPage: boolean;
  names: string[];
  values: string[];
  schemas: JsonSchema[];
};

/**
 * Everything that can be reached from outside: the build's routes, and the sockets with the frames they take.
 * `unusedSchemas` are the modules with a schema that no route imports.
 */
export type Surface = { routes: SurfaceRoute[]; sockets: string[]; frames: JsonSchema[]; unusedSchemas: string[] };

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Reads the surface of the current sources in a process of its own, because that replaces zod and valibot. */
export async function readSurface(root: string): Promise<Surface> {
  await build(root);
  const script = join(import.meta.dirname, "print-surface.ts");
  const options = { cwd: root, maxBuffer: MAX_OUTPUT };
  const { stdout } = await promisify(execFile)(join(root, "node_modules", ".bin", "node"), [script], options);
  return JSON.parse(stdout) as Surface;
}
