import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import type { FuzzCase } from "./cases/fuzz-case.ts";
import { type CaseSource, writeCase } from "./cases/write-case.ts";
import { writeSocketCase } from "./cases/write-frames.ts";
import { BrokenConnection, NoResponse, type RawResponse } from "./client/raw-client.ts";
import { forbiddenChanges } from "./oracles/allowed-changes.ts";
import { judgeResponse, type Rule, type Violation } from "./oracles/judge-response.ts";
import { FRAME_NAME_CHARACTERS, FRAME_PREFIX } from "./product/fuzzed-worker.ts";
import type { FuzzWorld } from "./world/fuzz-world.ts";

/** Generous, because other work may keep the machine busy. */
const TOGETHER_LIMIT_MS = 60_000;
const ALONE_LIMIT_MS = 20_000;
const REPLAYS = 3;
const SHORT_BODY_MAX_BYTES = 64 * 1024;
const SEED_STEP = 1_000_003;
const CASE_STEP = 7919;
const SOCKET_SHARE = 0.03;

export type Finding = Violation & { fuzzCase: FuzzCase };
export type Tally = { sent: number; statuses: Map<number, number>; routes: Map<string, Set<number>> };

export function newTally(): Tally {
  return { sent: 0, statuses: new Map(), routes: new Map() };
}

/** Returns the case of this number. It depends on the seed and the number alone, so any part of a run can be repeated. */
export function caseOf(seed: number, number: number, source: CaseSource): FuzzCase {
  const random = seededRandom(seed * SEED_STEP + number * CASE_STEP);
  return random.chance(SOCKET_SHARE) ? writeSocketCase(number, random, source) : writeCase(number, random, source);
}

/** Sends these cases over `connections` at once and returns what is wrong. */
export async function runCases(
  world: FuzzWorld,
  cases: FuzzCase[],
  { connections, tally }: { connections: number; tally: Tally },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const doubtful: FuzzCase[] = [];
  const casesById = new Map<string, FuzzCase>();
  const waiting = [...cases];
  const logBefore = readLog(world).length;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let fuzzCase = waiting.shift(); fuzzCase; fuzzCase = waiting.shift()) {
        const response = await attempt(world, fuzzCase, TOGETHER_LIMIT_MS);
        if (response instanceof Error) {
          doubtful.push(fuzzCase);
          continue;
        }
        count(tally, fuzzCase, response);
        const id = response.headers.find(([name]) => name === "x-request-id")?.[1];
        if (id) casesById.set(id, fuzzCase);
        for (const violation of judgeResponse(fuzzCase, response, world.canaries))
          findings.push({ ...violation, fuzzCase });
      }
    }),
  );
  const byName = new Map(cases.map((fuzzCase) => [String(fuzzCase.number), fuzzCase]));
  for (const [name, { status, changes }] of Object.entries(await world.copy.takeChanges())) {
    const isFrame = name.startsWith(FRAME_PREFIX);
    const fuzzCase = isFrame ? cases.find(({ frames }) => holdsFrame(frames, name)) : byName.get(name);
    const method = isFrame ? "frame" : (fuzzCase?.request.method ?? "");
    const forbidden = forbiddenChanges(method, status, changes);
    if (fuzzCase && forbidden.length > 0) {
      findings.push({ rule: "changed", text: `${method} with ${status}: ${forbidden.join(", ")}`, fuzzCase });
    }
  }
  for (const line of readLog(world).slice(logBefore)) {
    const fuzzCase = casesById.get(line.id) ?? cases[0];
    if (fuzzCase) findings.push({ rule: "log", text: line.text.slice(0, 1500), fuzzCase });
  }
  for (const fuzzCase of doubtful) {
    const violation = await failsAlone(world, fuzzCase);
    if (violation) findings.push({ ...violation, fuzzCase });
  }
  return findings;
}

function holdsFrame(frames: FuzzCase["frames"], name: string): boolean {
  return (
    frames?.some((frame) => typeof frame === "string" && name.includes(frame.slice(0, FRAME_NAME_CHARACTERS))) ?? false
  );
}

/** Returns whether sending this case alone breaks that rule, in one of three attempts. */
export async function breaksRule(world: FuzzWorld, fuzzCase: FuzzCase, rule: Rule): Promise<boolean> {
  if (rule === "hang" || rule === "reset") return (await failsAlone(world, fuzzCase))?.rule === rule;
  const found = await runCases(world, [fuzzCase], { connections: 1, tally: newTally() });
  return found.some((finding) => finding.rule === rule);
}

/** Returns what is wrong if a case gets no response, or a broken one, when nothing else is running. */
async function failsAlone(world: FuzzWorld, fuzzCase: FuzzCase): Promise<Violation | null> {
  const errors: Error[] = [];
  for (let replay = 0; replay < REPLAYS; replay++) {
    const response = await attempt(world, fuzzCase, ALONE_LIMIT_MS);
    if (response instanceof Error) errors.push(response);
  }
  const [first] = errors;
  if (!first) return null;
  const text = `${errors.length} of ${REPLAYS} alone: ${first.message}`;
  if (errors.some((error) => error instanceof NoResponse)) return { rule: "hang", text };
  const { framing, body } = fuzzCase.request;
  // The caller ended its half before the body was whole: the server may do the same. And it reads no long body to its end
  // that it refuses.
  const mayBreak = framing === "short" || body.length > SHORT_BODY_MAX_BYTES;
  return errors.some((error) => error instanceof BrokenConnection) && !mayBreak ? { rule: "reset", text } : null;
}

async function attempt(world: FuzzWorld, fuzzCase: FuzzCase, limitMs: number): Promise<RawResponse | Error> {
  try {
    return await world.send(fuzzCase, limitMs);
  } catch (error) {
    return error as Error;
  }
}

function count(tally: Tally, { route }: FuzzCase, { status }: RawResponse): void {
  tally.sent++;
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  tally.routes.set(route, (tally.routes.get(route) ?? new Set()).add(status));
}

/** Lines that cases cause rightly, each with its reason. */
const EXPECTED_LINES: readonly (readonly [RegExp, string])[] = [
  [/^Pathnames cannot have embedded double slashes/, "React Router warns about such a path"],
  [/REMIX FUTURE CHANGE/, "Remix warns about a loader that returns null to its own client"],
  [/"message":"provider paused"/, "an admin's case gave a provider a wrong key or address"],
  [/failed to lookup address information/, "workerd: a case made a webhook or provider of an unknown host"],
  [/^stack: /, "belongs to the line before it"],
  [/^The URL path ".*" could not be decoded/s, "React Router warns about a path that is no UTF-8"],
];

/** Returns the error lines that the product has logged, and lines that are none of its own. */
function readLog({ copy }: FuzzWorld): { id: string; text: string }[] {
  const file = join(copy.stateDir, "logs", "worker.log");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/^\{"time":.*"level":"(info|warn)"/.test(line))
    .filter((line) => !EXPECTED_LINES.some(([pattern]) => pattern.test(line)))
    .map((line) => ({ id: /"request_id":"([^"]+)"/.exec(line)?.[1] ?? "", text: line }));
}
