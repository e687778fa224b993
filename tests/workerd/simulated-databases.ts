import { env } from "cloudflare:workers";
import { simulatedDatabase } from "#tests/product/simulated-database.ts";

// Once in a worker: what is connected to a database when a module is loaded stays so in later test files.
const { SIMULATED_DATABASE: objects } = env;
if (objects) for (const name of ["DB", "DB_SUPPORT"] as const) env[name] = simulatedDatabase(env[name], objects, name);
