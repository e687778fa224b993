import { readFileSync } from "node:fs";
import type { EnvironmentConfig } from "#tools/deploy/environment-config.ts";
import { ACCOUNT } from "./cloudflare-api.ts";

type Deployments = { deployments: unknown[] };

/**
 * Returns the JSON that wrangler prints for a call that only reads: what the API answered. Null for other calls, and if
 * the API refuses. A start of wrangler takes a second of processor time.
 */
export async function printRead(apiUrl: string, configFile: string, args: string[]): Promise<string | null> {
  const { name, d1_databases } = JSON.parse(readFileSync(configFile, "utf8")) as EnvironmentConfig;
  const idOf = (wanted = "") =>
    d1_databases.find(({ binding, database_name }) => binding === wanted || database_name === wanted)?.database_id;
  const ask = async <T>(path: string, body?: object): Promise<T | null> => {
    const init = body && { method: "POST", body: JSON.stringify(body) };
    const { success, result } = (await (await fetch(`${apiUrl}/accounts/${ACCOUNT}${path}`, init)).json()) as {
      success: boolean;
      result: T;
    };
    return success ? result : null;
  };
  const script = `/workers/scripts/${name}`;
  const read = async (): Promise<unknown> => {
    switch (args.slice(0, 2).join(" ")) {
      case "d1 list":
        return ask("/d1/database");
      case "d1 time-travel":
        return ask(`/d1/database/${idOf(args[3])}/time_travel/bookmark`);
      case "d1 execute": {
        const at = args.indexOf("--command");
        return at < 0 ? null : ask(`/d1/database/${idOf(args[2])}/query`, { sql: args[at + 1] });
      }
      case "deployments status":
        return (await ask<Deployments>(`${script}/deployments`))?.deployments[0] ?? null;
      case "deployments list":
        return (await ask<Deployments>(`${script}/deployments`))?.deployments.toReversed() ?? null;
      case "versions list":
        return (await ask<{ items: unknown[] }>(`${script}/versions`))?.items.toReversed() ?? null;
      case "versions view":
        return ask(`${script}/versions/${args[2]}`);
      case "secret list":
        return ask(`${script}/secrets`);
      default:
        return null;
    }
  };
  const result = await read();
  return result === null ? null : JSON.stringify(result);
}
