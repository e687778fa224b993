import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileRequests, ROLES, routePatterns } from "#tests/faults/hostile-requests.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { sendRequests } from "#tests/faults/send-requests.ts";
import { type LocalCopy, startLocalCopy } from "./local-copy.ts";

const SAMPLE = 600;
let copy: LocalCopy;

beforeAll(async () => {
  copy = await startLocalCopy();
}, 180_000);
afterAll(() => copy.remove(), 30_000);

test("answers a sample of hostile requests without a 5xx, briefly and in time", async () => {
  const report = await sendRequests(copy, hostileRequests(seededRandom(1)), { count: SAMPLE, connections: 4 });
  expect(report.faults).toEqual([]);
  expect(report.sent).toBe(SAMPLE);
  expect(report.signedIn).toEqual(["customer", "agent", "admin"]);
}, 180_000);

test("reaches every route in every role", () => {
  const next = hostileRequests(seededRandom(1));
  const made = Array.from({ length: 20_000 }, next);
  const reached = new Set(made.map(({ route }) => route));
  expect(routePatterns().filter((pattern) => !reached.has(pattern))).toEqual([]);
  expect(new Set(made.map(({ role }) => role))).toEqual(new Set(ROLES));
});
