import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../scripts/simulated-durations.ts";
import type { PlacedOrder } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import type { DialectName } from "../world/outside/provider-dialects.ts";
import type { Site, Trouble } from "../world/site.ts";
import { judgePace } from "./pace-oracle.ts";
import type { OrderRow } from "./violation.ts";

const LINK = "https://instagram.com/p/order-1";
const STARTED_AT = 1_000 * HOUR;
const HOURS = 6;

/** Judges one order, taken at once, whose provider was asked for it at these times. Times in ms since the beginning. */
function judge(
  asked: { at: number; status?: string }[],
  {
    status = "In progress",
    modes = [],
    troubles = [],
    dialect,
    others = 0,
  }: { status?: string; modes?: object[]; troubles?: Trouble[]; dialect?: DialectName; others?: number } = {},
) {
  const reports = asked.map((one) => ({
    id: "7",
    link: LINK,
    remains: "1",
    isAnswered: true,
    status: "Active",
    ...one,
  }));
  const orders = [{ id: "7", link: LINK, at: 0 }, ...Array.from({ length: others }, () => ({ id: "8", link: "" }))];
  const provider = { id: 1, modes, reports, orders, dialect };
  const world = { providers: [provider], startedAt: STARTED_AT, now: () => HOURS * HOUR } as unknown as World;
  const placed = [{ id: 1, event: { name: "order-1", provider: 0, plan: { add: "ok" } } }] as unknown as PlacedOrder[];
  const row = { id: 1, link: LINK, provider_order_id: "7", created_at: STARTED_AT, status } as unknown as OrderRow;
  const site = { count: () => {} } as unknown as Site;
  return judgePace(site, world, placed, { rows: [row], troubles }).map((violation) => violation.world);
}

const every = (step: number, until: number, from = 0) =>
  Array.from({ length: Math.floor((until - from) / step) }, (_, n) => ({ at: from + (n + 1) * step }));
const atPace = [...every(5 * MINUTE, HOUR), ...every(15 * MINUTE, HOURS * HOUR, HOUR)];

test("is content with an order that is asked for at its pace until it ends", () => {
  expect(judge(atPace)).toEqual([]);
  const ended = [...atPace.filter(({ at }) => at < 2 * HOUR), { at: 2 * HOUR, status: "Completed" }];
  expect(judge(ended, { status: "Completed" })).toEqual([]);
});

test("names the longest time in which an open order was not asked for", () => {
  expect(judge(atPace.filter(({ at }) => at <= 2 * HOUR))).toMatchObject([{ from: 2 * HOUR, to: HOURS * HOUR }]);
  expect(judge(atPace.filter(({ at }) => at < 10 * MINUTE || at > 40 * MINUTE))).toMatchObject([
    { from: 5 * MINUTE, to: 45 * MINUTE },
  ]);
  expect(judge([])).toMatchObject([{ from: 0, to: HOURS * HOUR }]);
});

test("lets several rounds pass where a provider with many orders is asked about one at a time", () => {
  const slow = [...every(5 * MINUTE, HOUR), ...every(25 * MINUTE, HOURS * HOUR, HOUR)];
  expect(judge(slow, { dialect: "plain", others: 200 })).toHaveLength(1);
  expect(judge(slow, { dialect: "singles", others: 79 })).toHaveLength(1);
  expect(judge(slow, { dialect: "singles", others: 80 })).toEqual([]);
});

test("doesn't count the time in which the provider or the platform was in trouble", () => {
  const gap = atPace.filter(({ at }) => at <= 2 * HOUR || at >= 4 * HOUR);
  const span = { from: 2 * HOUR, to: 4 * HOUR };
  expect(judge(gap)).toHaveLength(1);
  expect(judge(gap, { modes: [{ ...span, mode: "dead" }] })).toEqual([]);
  const trouble = { ...span, simulatedFrom: STARTED_AT + span.from, simulatedTo: STARTED_AT + span.to };
  expect(judge(gap, { troubles: [trouble] })).toEqual([]);
  expect(judge(gap, { modes: [{ from: 2 * HOUR, to: 3 * HOUR, mode: "dead" }] })).toHaveLength(1);
});

test("lets an hour pass before it asks again for what could not be read", () => {
  const unreadable = atPace.filter(({ at }) => at <= 2 * HOUR).map((one) => ({ ...one, status: "Awaiting moon" }));
  expect(
    judge([...unreadable, ...every(HOUR, HOURS * HOUR, 2 * HOUR).map((one) => ({ ...one, status: "?" }))]),
  ).toEqual([]);
  expect(judge(unreadable)).toHaveLength(1);
});
