import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readArguments } from "./command-line.ts";
import { TYPE_CHECK } from "./type-check.ts";

/** `npm run check`: lint, format and types. Each is reported although another fails. */

readArguments({ usage: "npm run check: reports what is wrong with lint, format and types", options: {} });
const bin = join(import.meta.dirname, "..", "..", "node_modules", ".bin");
const results = [
  ["biome", "check", "."],
  ["node", ...TYPE_CHECK],
].map(([command = "", ...args]) => spawnSync(join(bin, command), args, { stdio: "inherit" }));
process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1;
