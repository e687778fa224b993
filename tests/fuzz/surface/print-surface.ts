import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RouteConfigEntry } from "@remix-run/route-config";
import ts from "typescript";
import { type JsonSchema, jsonSchemaOf } from "./json-schema.ts";
import { routeWords } from "./route-words.ts";
import { recordedSchemas } from "./schema-registry.ts";
import type { Surface, SurfaceRoute } from "./surface.ts";

/** Prints the surface as JSON: loads the product's modules with schemas that record themselves, and the built routes. */

const root = join(import.meta.dirname, "..", "..", "..");
/** The packages' own folders may be below another "app", such as a container's. */
const APP = pathToFileURL(join(root, "app", "/")).href;
const SCHEMAS_PER_ROUTE = 30;
const RECORDING: Record<string, string> = {
  zod: "recording-zod.ts",
  "zod/mini": "recording-zod-mini.ts",
  valibot: "recording-valibot.ts",
};

registerHooks({
  resolve(specifier, context, next) {
    const stand = context.parentURL?.startsWith(APP) ? RECORDING[specifier] : undefined;
    if (!stand) return next(specifier, context);
    return { url: pathToFileURL(join(import.meta.dirname, stand)).href, shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.endsWith(".tsx")) {
      const loaded = next(url, context);
      // Of Vite. What it would import, the routes import too.
      const globs = url.startsWith(APP) && String(loaded.source).includes("import.meta.glob");
      return globs ? { ...loaded, source: `import.meta.glob = () => ({});\n${loaded.source}` } : loaded;
    }
    const compilerOptions = { jsx: ts.JsxEmit.ReactJSX, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
    const { outputText } = ts.transpileModule(readFileSync(new URL(url), "utf8"), { compilerOptions });
    return { format: "module", source: outputText, shortCircuit: true };
  },
});

type BuiltRoute = { module: Record<string, unknown> };
type Listed = { pattern: string; file: string; id: string };

const withSchemas = globSync("app/**/*.ts", { cwd: root })
  .filter((path) => !path.includes(".test.") && !path.endsWith(".d.ts"))
  .filter((path) => /from "(zod|valibot)/.test(readFileSync(join(root, path), "utf8")));
for (const path of withSchemas) {
  const exported = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>;
  // Schemas made from others, for example with extend().
  for (const value of Object.values(exported)) recordedSchemas.push({ file: path, schema: value });
}
const byFile = new Map<string, JsonSchema[]>();
for (const { file, schema } of recordedSchemas) {
  const json = jsonSchemaOf(schema);
  if (json?.properties || json?.anyOf || json?.oneOf) byFile.set(file, [...(byFile.get(file) ?? []), json]);
}

const { routes: built } = (await import(pathToFileURL(join(root, "build", "server", "index.js")).href)) as {
  routes: Record<string, BuiltRoute>;
};
const { default: config } = (await import("#app/routes.ts")) as { default: RouteConfigEntry[] };
const used = new Set<string>();
const routes = listRoutes(config, "").flatMap(describe);
const surface: Surface = {
  routes,
  unusedSchemas: [...byFile.keys()].filter((file) => !used.has(file)),
  sockets: ["/support/sessions/:id/socket", "/admin/inbox/socket"],
  frames: framesOf(byFile.get("app/support/protocol/frames.ts") ?? []),
};
process.stdout.write(JSON.stringify(surface));

function listRoutes(entries: RouteConfigEntry[], parent: string): Listed[] {
  return entries.flatMap(({ path, file, id, children = [] }) => {
    const pattern = path === undefined ? parent : `${parent}/${path}`;
    return [{ pattern: pattern || "/", file, id: id ?? file.replace(/\.tsx?$/, "") }, ...listRoutes(children, pattern)];
  });
}

function describe({ pattern, file, id }: Listed): SurfaceRoute[] {
  const module = built[id]?.module;
  if (!module) throw new Error(`the build has no route ${id}`);
  const { names, values, files } = routeWords(root, join("app", file));
  for (const path of files) used.add(path);
  const all = files.flatMap((path) => byFile.get(path) ?? []);
  const schemas = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];
  const isPage = module.default !== undefined;
  const hasAction = module.action !== undefined;
  const hasLoader = module.loader !== undefined;
  return [{ pattern, isPage, hasAction, hasLoader, names, values, schemas: schemas.slice(0, SCHEMAS_PER_ROUTE) }];
}

/** Returns the frames that a room takes: those of the first variant in the module. */
function framesOf(schemas: JsonSchema[]): JsonSchema[] {
  return schemas.find(({ anyOf }) => anyOf)?.anyOf ?? [];
}
