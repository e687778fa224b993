import { expect, test } from "vitest";
import { CHECKS, type CheckName } from "#app/db/schema.server.ts";
import { type ComponentFigures, componentStates } from "./component-states.ts";
import { type CheckResults, runChecks } from "./health-checks.ts";

function results(...failed: CheckName[]): CheckResults {
  const entries = CHECKS.map((name) => [name, { ok: !failed.includes(name), ms: 1, detail: "" }]);
  return Object.fromEntries(entries) as CheckResults;
}

const FIGURES: NonNullable<ComponentFigures> = { providers: { enabled: 2, unavailable: 0 }, requests: [] };
const FINE = { api: "operational", ordering: "operational", chat: "operational", providers: "operational" };

test("calls a component down or degraded by the checks that it needs", () => {
  expect(componentStates(results(), FIGURES)).toEqual(FINE);
  const down = { api: "down", ordering: "down", chat: "down" };
  expect(componentStates(results("database"), null, "degraded")).toEqual({ ...down, providers: "degraded" });
  expect(componentStates(results("support_database"), FIGURES)).toEqual({ ...FINE, chat: "down" });
  expect(componentStates(results("files"), FIGURES)).toEqual({ ...FINE, chat: "degraded" });
  expect(componentStates(results("dispatchers"), FIGURES)).toEqual({ ...FINE, ordering: "degraded" });
  expect(componentStates(results("mail"), FIGURES)).toEqual(FINE);
});

test("calls a component degraded whose requests fail, but not for a few of them", () => {
  const of = (requests: number, errors: number): ComponentFigures => ({
    ...FIGURES,
    requests: [{ area: "api", requests, errors }],
  });
  expect(componentStates(results(), of(100, 5)).api).toBe("degraded");
  expect(componentStates(results(), of(100, 4)).api).toBe("operational");
  expect(componentStates(results(), of(19, 19)).api).toBe("operational");
});

test("calls providers degraded if some get no orders, and down if none does", () => {
  const state = (enabled: number, unavailable: number) =>
    componentStates(results(), { ...FIGURES, providers: { enabled, unavailable } }).providers;
  expect([state(0, 0), state(3, 0), state(3, 2), state(3, 3)]).toEqual([
    "operational",
    "operational",
    "degraded",
    "down",
  ]);
});

test("limits each check by itself, and says nothing of why one failed", async () => {
  const secret = "postgres://user:password@host";
  const checks = {
    database: async () => null,
    support_database: () => Promise.reject(new Error(secret)),
    files: () => new Promise<null>(() => {}),
    dispatchers: async () => null,
    mail: async () => "Not set up",
  };
  const found = await runChecks(checks, 1);
  expect(found).toMatchObject({
    database: { ok: true, detail: "ok" },
    support_database: { ok: false, detail: "It failed" },
    files: { ok: false, detail: "No answer within 1 ms" },
    mail: { ok: false, detail: "Not set up" },
  });
  expect(JSON.stringify(found)).not.toContain("password");
});
