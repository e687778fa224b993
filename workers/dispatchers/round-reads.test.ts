import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import * as worker from "#workers/app.ts";
import { Dispatcher } from "./dispatcher.ts";

/** A row a night, and the old ones are deleted. */
const SHORT = ["backup_runs"];
/** SQLite searches a table without an index for its smallest value. */
const WHOLE = /^(?:SCAN|SEARCH) (\w+)$/;
type Round = { env: Env; runRound(queue: string): Promise<number | null> };

/** Returns the object with that name of each class that works off a queue, by its binding. */
function dispatchersOf(name: string): [string, DurableObjectStub][] {
  const classes = Object.entries(worker).filter(
    ([, one]) => typeof one === "function" && one.prototype instanceof Dispatcher,
  );
  return classes.map(([className]) => {
    const binding = className.replaceAll(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
    return [
      binding,
      ((env as unknown as Record<string, DurableObjectNamespace>)[binding] as DurableObjectNamespace).getByName(name),
    ];
  });
}

test("finds what is due, and when the next one is, by an index in every dispatcher's round", async () => {
  const providerId = await sandboxProvider();
  await service({ providerId, providerServiceId: "1" });
  const tables = await tableNames();
  const dispatchers = dispatchersOf(String(providerId));
  const scans: string[] = [];
  const read: Record<string, number> = {};
  for (const [name, stub] of dispatchers) {
    const { database, byStatement } = countedDatabase(env.DB);
    await runInDurableObject(stub, async (object) => {
      const round = object as unknown as Round;
      const own = round.env;
      round.env = { ...own, DB: database };
      await round.runRound(String(providerId)).finally(() => {
        round.env = own;
      });
    });
    read[name] = byStatement.size;
    for (const query of byStatement.keys()) {
      const plan = await env.DB.prepare(`explain query plan ${query.replaceAll("?", "'1'")}`).all<{ detail: string }>();
      const scanned = plan.results.map(({ detail }) => WHOLE.exec(detail)?.[1] ?? "");
      for (const table of scanned) {
        if (tables.has(table) && !SHORT.includes(table)) scans.push(`${name} reads all ${table}: ${query}`);
      }
    }
  }
  expect(scans).toEqual([]);
  // Else this would prove nothing.
  expect(Object.keys(read).length).toBeGreaterThan(4);
  for (const [name, statements] of Object.entries(read)) expect(statements, name).toBeGreaterThan(0);
});

async function tableNames(): Promise<Set<string>> {
  const { results } = await env.DB.prepare("select name from sqlite_master where type = 'table'").all<{
    name: string;
  }>();
  return new Set(results.map(({ name }) => name));
}
