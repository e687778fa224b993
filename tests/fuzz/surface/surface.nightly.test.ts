import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { CALLERS } from "../cases/fuzz-case.ts";
import type { CaseSource } from "../cases/write-case.ts";
import { caseOf } from "../run-cases.ts";
import { readSurface, type Surface } from "./surface.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const CASES = 20_000;
let surface: Surface;

beforeAll(async () => {
  surface = await readSurface(root);
}, 420_000);

test("reaches every route, caller, socket and frame, and posts to every action", () => {
  const source: CaseSource = {
    surface,
    origin: "http://localhost",
    formsOf: () => [],
    documentedSchemas: () => [],
    pathsOf: () => [],
    known: () => [],
  };
  const cases = Array.from({ length: CASES }, (_, number) => caseOf(1, number, source));
  const routes = new Set(cases.map(({ route }) => route));
  const reachable = [...surface.routes.map(({ pattern }) => pattern), ...surface.sockets];
  expect(reachable.filter((pattern) => !routes.has(pattern))).toEqual([]);
  expect(new Set(cases.map(({ caller }) => caller))).toEqual(new Set(CALLERS));
  const posted = new Set(cases.filter(({ request }) => request.method === "POST").map(({ route }) => route));
  const actions = surface.routes.filter(({ hasAction }) => hasAction).map(({ pattern }) => pattern);
  expect(actions.filter((pattern) => !posted.has(pattern))).toEqual([]);
  const sent = cases.flatMap(({ frames = [] }) => frames.map(String)).join("\n");
  const types = surface.frames.map(({ properties }) => String(properties?.type?.const));
  expect(types.length).toBeGreaterThan(3);
  expect(types.filter((type) => !sent.includes(`{"type":"${type}"`))).toEqual([]);
});

test("writes the same case for the same seed and number", () => {
  const source: CaseSource = {
    surface,
    origin: "http://localhost",
    formsOf: () => [],
    documentedSchemas: () => [],
    pathsOf: () => ["/a"],
    known: (name) => [name],
  };
  for (let number = 0; number < 200; number++) expect(caseOf(7, number, source)).toEqual(caseOf(7, number, source));
});

test("knows the schema of every body that a route parses", () => {
  // These read what the server sends to the browser.
  expect(surface.unusedSchemas.filter((file) => !/^app\/support\/(client|widget)\//.test(file))).toEqual([]);
});

test("opens every socket", () => {
  const upgrades = readFileSync(join(root, "workers", "support", "sockets", "upgrade-socket.ts"), "utf8");
  expect(upgrades.match(/^const \w+_PATH = /gm)).toHaveLength(surface.sockets.length);
});
