import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/** The flag with which the D1 binding sends its statements over RPC. */
export const RPC_FLAG = "d1_binding_jsrpc";
/** Where the class of the simulated databases stands. It runs in workerd only. */
export const DATABASE_MODULE = join(import.meta.dirname, "simulated-database.ts");
/** The class as JavaScript. */
export const DATABASE_CLASS = stripTypeScriptTypes(readFileSync(DATABASE_MODULE, "utf8"));
/** How a worker of Miniflare binds the class. */
export const DATABASE_OBJECTS = { SIMULATED_DATABASE: { className: "SimulatedDatabase", useSQLite: true } };

const NAME = "simulated-databases";
/** A worker of Miniflare that only holds databases. */
export const DATABASE_WORKER = {
  name: NAME,
  modules: true,
  script: `${DATABASE_CLASS}\nexport default {};`,
  compatibilityDate: "2026-11-01",
  durableObjects: DATABASE_OBJECTS,
};
/** What another worker needs for databases of that worker. */
export const USES_DATABASE_WORKER = {
  compatibilityFlags: [RPC_FLAG],
  durableObjects: { SIMULATED_DATABASE: { ...DATABASE_OBJECTS.SIMULATED_DATABASE, scriptName: NAME } },
};
