import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Order, providerLog } from "#app/db/schema.server.ts";
import type { Provider } from "#app/orders/providers/provider-link.server.ts";
import type { Report } from "#app/orders/providers/reading/status-report.ts";
import { db } from "#tests/workerd/customer.ts";
import { readProvider } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import type { Entries } from "./state-calls.server.ts";
import { type CallState, callsAboutOrders, newCallState } from "./status-calls.server.ts";

const REFUSAL = { error: "Incorrect order ID" };
const TOO_LONG = "x".repeat(2_000_000);

beforeEach(() => {
  // Asks for the halves of a refused call in their order.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

afterEach(() => void vi.restoreAllMocks());

test("passes on what the provider says about the orders that it was asked for", async () => {
  const body = { "1": { status: "Pending" }, "2": { error: "Incorrect order ID" } };
  const { ask, calls, applied, round } = await asking(() => Response.json(body));
  round.state.hasFailed = true;
  await ask(orders(1, 2));
  expect(calls()).toEqual([{ action: "status", orders: "1,2" }]);
  expect(applied).toEqual([["1,2", { "1": "Pending", "2": "error" }]]);
  expect(round).toMatchObject({ callsLeft: 20, isOver: false, hadNoEnd: false, postponed: [] });
  expect(round.state).toEqual({ hasFailed: false, failingSince: 0 });
});

test("names the currency of our balance for a charge that names none, where it is another one than ours", async () => {
  const body = {
    "1": { status: "Completed", charge: "40" },
    "2": { status: "Completed", charge: "4", currency: "USD" },
    "3": { error: "Incorrect order ID" },
  };
  for (const [currency, named] of [
    ["", ["", "USD"]],
    ["usd", ["", "USD"]],
    ["INR", ["INR", "USD"]],
  ] as const) {
    const { ask, currencies } = await asking(() => Response.json(body), { balanceCurrency: currency });
    await ask(orders(1, 2, 3));
    expect(currencies).toEqual(named);
  }
});

test("makes no call for no order, or without a call left", async () => {
  const { ask, calls, round } = await asking(() => Response.json({}));
  await ask([]);
  round.callsLeft = 0;
  await ask(orders(1));
  expect(calls()).toEqual([]);
});

test.for([
  ["an empty list", () => Response.json([]), 0],
  ["an object without any order", () => Response.json({}), 0],
] as const)("takes %s as a response without the orders", async ([_, reply, failures]) => {
  const { ask, applied, round, link } = await asking(reply);
  await ask(orders(1, 2));
  expect(applied).toEqual([["1,2", { "1": "missing", "2": "missing" }]]);
  expect(round.isOver).toBe(false);
  expect(await readProvider(link.id)).toMatchObject({ failures });
});

test.for([
  ["a page", () => new Response("<html>Just a moment</html>"), 1],
  ["a text about the load", () => Response.json("Server is busy, try later"), 0],
  ["a bad gateway", () => new Response("", { status: 502 }), 1],
  ["a long page with an error status", () => new Response(TOO_LONG, { status: 503 }), 1],
  ["an error about our key", () => Response.json({ error: "Invalid API key" }), 0],
  ["an error about the load", () => Response.json({ error: "Too many requests" }), 0],
] as const)("stops after %s, and logs the first of several in a row", async ([_, reply, failures]) => {
  const { ask, calls, applied, round, link, newRound } = await asking(reply);
  await ask(orders(1, 2));
  expect(round).toMatchObject({ callsLeft: 0, isOver: true, state: { hasFailed: true } });
  const logged = () => db.select().from(providerLog).where(eq(providerLog.providerId, link.id));
  expect(await logged()).toMatchObject([{ orderId: null, action: "status" }]);
  await ask(orders(1, 2));
  expect(calls()).toHaveLength(1);
  const next = newRound(round.state);
  await ask(orders(3), next);
  expect(next).toMatchObject({ callsLeft: 0, isOver: true });
  expect(calls()).toHaveLength(2);
  expect(await logged()).toHaveLength(1);
  expect(applied).toEqual([]);
  expect(await readProvider(link.id)).toMatchObject({ failures: failures * 2 });
});

test.for([
  ["refused", () => Response.json(REFUSAL), "error"],
  ["answered at too great a length", () => new Response(TOO_LONG), "shape"],
] as const)("tells apart the order for which a call is %s", async ([_, reply, why]) => {
  const { ask, calls, applied, round, link } = await asking(
    ({ orders: ids = "" }) =>
      ids.split(",").includes("3")
        ? reply()
        : Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status: "Pending" }]))),
    { dialect: { status: "many" } },
  );
  await ask(orders(1, 2, 3, 4, 5));
  expect(calls().map((call) => call.orders)).toEqual(["1,2,3,4,5", "1,2,3", "1,2", "3", "4,5"]);
  expect(applied).toEqual([
    ["1,2", { "1": "Pending", "2": "Pending" }],
    ["3", { "3": why }],
    ["4,5", { "4": "Pending", "5": "Pending" }],
  ]);
  // One less for each call that was divided.
  expect(round).toMatchObject({ callsLeft: 18, isOver: false, state: { hasFailed: false } });
  expect(await readProvider(link.id)).toMatchObject({ failures: 0 });
  expect(await db.$count(providerLog, eq(providerLog.providerId, link.id))).toBe(0);
});

test("asks for the second half first every other time, so that bad ids can't hold up the same orders", async () => {
  const { ask, calls } = await asking(() => Response.json(REFUSAL), { dialect: { status: "many" } });
  vi.mocked(Math.random).mockReturnValueOnce(0.499);
  await ask(orders(1, 2));
  await ask(orders(1, 2));
  expect(calls().map((call) => call.orders)).toEqual(["1,2", "2", "1", "1,2", "1", "2"]);
});

test("divides refused calls until twenty were made, also where the calls of a round have no limit", async () => {
  const { ask, calls, round } = await asking(() => Response.json(REFUSAL), { dialect: { status: "many" } });
  round.callsLeft = Number.POSITIVE_INFINITY;
  await ask(orders(...Array.from({ length: 100 }, (_, n) => n + 1)));
  expect(calls().filter((call) => call.orders?.includes(","))).toHaveLength(20);
  expect(round).toMatchObject({ callsLeft: 0, isOver: false });
});

test("asks last for the orders that were unreadable before, and divides their calls too", async () => {
  const { ask, calls, round } = await asking(
    ({ orders: ids = "" }) => (ids.includes("1") ? Response.json(REFUSAL) : Response.json({})),
    { dialect: { status: "many" } },
  );
  const [first, ...rest] = orders(1, 2, 3, 4);
  const unreadable = [first, rest[1]].map((order) => ({ ...order, unreadableSince: 7 }) as Order);
  await ask([...unreadable, rest[0] as Order, rest[2] as Order]);
  expect(calls().map((call) => call.orders)).toEqual(["1,3,2,4", "2,4"]);
  expect(round.postponed).toEqual(unreadable);
  await round.askForPostponed();
  expect(calls().map((call) => call.orders)).toEqual(["1,3,2,4", "2,4", "1,3", "1", "3"]);
  expect(round).toMatchObject({ callsLeft: 18, postponed: null });
  await round.askForPostponed();
  expect(calls()).toHaveLength(5);
});

test("postpones no order of a call that holds only readable ones", async () => {
  const { ask, calls, round } = await asking(() => Response.json(REFUSAL), { dialect: { status: "many" } });
  await ask(orders(1, 2));
  expect(calls().map((call) => call.orders)).toEqual(["1,2", "1", "2"]);
  expect(round.postponed).toEqual([]);
});

test("asks for postponed orders a hundred at a time, and for none while the provider rests", async () => {
  const { link, calls, round } = await asking(() => Response.json({}));
  const many = () => orders(...Array.from({ length: 201 }, (_, n) => n + 1));
  round.postponed = many();
  await round.askForPostponed();
  expect(calls().map((call) => call.orders?.split(",").length)).toEqual([100, 100, 1]);
  expect(calls().at(-1)?.orders).toBe("201");
  await link.noteResponse({ retryAfterMs: 60_000 }, false);
  round.postponed = many();
  await round.askForPostponed();
  expect(calls()).toHaveLength(3);
});

const readable = (id = "") => Response.json({ order: id, status: "Pending" });

test("learns from a missing parameter that a provider takes no lists, and asks one by one", async () => {
  const { ask, calls, applied, link } = await asking(({ order }) =>
    order === undefined ? Response.json({ error: "The order field is required." }, { status: 422 }) : readable(order),
  );
  expect(await ask(orders(1, 2))).toBe(2);
  await ask(orders(3));
  expect(calls()).toEqual([
    { action: "status", orders: "1,2" },
    { action: "status", order: "1" },
    { action: "status", order: "2" },
    { action: "status", order: "3" },
  ]);
  expect(applied).toEqual([
    ["1,2", { "1": "Pending", "2": "Pending" }],
    ["3", { "3": "Pending" }],
  ]);
  expect(await readProvider(link.id)).toMatchObject({
    dialect: { status: "one", refusesWith4xx: true },
    failures: 0,
  });
});

test.for([
  ["refuses lists", () => Response.json(REFUSAL), "one"],
  ["answers a list about one of them", () => Response.json({ status: "Pending" }), "one"],
  ["answers a list with nothing", () => new Response(""), "one"],
] as const)("asks a provider that %s about one alone, and learns how it takes them", async ([_, reply, way]) => {
  const { ask, applied, link } = await asking(({ order }) => (order === undefined ? reply() : readable(order)));
  await ask(orders(1, 2, 3));
  expect(applied.flatMap(([ids]) => ids.split(",")).sort()).toEqual(["1", "2", "3"]);
  expect(await readProvider(link.id)).toMatchObject({ dialect: { status: way } });
});

test("takes a refusal because of one id for no proof that a provider takes no lists", async () => {
  const { ask, applied, link } = await asking(({ order, orders: ids = "" }) => {
    if (order !== undefined) return readable(order);
    if (ids.split(",").includes("3")) return Response.json(REFUSAL);
    return Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status: "Pending" }])));
  });
  await ask(orders(1, 2, 3));
  expect(applied).toEqual([
    ["1,2", { "1": "Pending", "2": "Pending" }],
    ["3", { "3": "error" }],
  ]);
  expect(await readProvider(link.id)).toMatchObject({ dialect: { status: "many" } });
});

test("asks about so many alone in a round, and says how many", async () => {
  const { ask, calls, round } = await asking(({ order }) => readable(order), { dialect: { status: "one" } });
  const many = orders(...Array.from({ length: 100 }, (_, n) => n + 1));
  expect(await ask(many)).toBe(80);
  expect(calls()).toHaveLength(80);
  expect(round).toMatchObject({ singlesLeft: 0, isOver: false });
  expect(await ask(many.slice(80))).toBe(0);
});

test("stops to ask one by one when the provider answers no more", async () => {
  const { ask, calls, applied, round } = await asking(
    ({ order }) => (Number(order) > 2 ? new Response("", { status: 502 }) : readable(order)),
    { dialect: { status: "one" }, concurrentCalls: 2 },
  );
  expect(await ask(orders(1, 2, 3, 4, 5, 6, 7, 8))).toBe(6);
  expect(calls()).toHaveLength(6);
  expect(applied.map(([ids]) => ids)).toEqual(["1,2", "", ""]);
  expect(round.isOver).toBe(true);
});

test("notes an order that the provider denies or breaks down at, and asks about those behind it", async () => {
  const { ask, applied, round } = await asking(
    ({ order }) => {
      if (order === "2") return Response.json({ error: "Access denied" });
      return order === "3" ? new Response("", { status: 500 }) : readable(order);
    },
    { dialect: { status: "one" }, concurrentCalls: 1 },
  );
  expect(await ask(orders(1, 2, 3, 4))).toBe(4);
  const said = Object.assign({}, ...applied.map(([_, entries]) => entries));
  expect(said).toEqual({ "1": "Pending", "2": "shape", "3": "shape", "4": "Pending" });
  expect(round).toMatchObject({ isOver: false, state: { failingSince: 0 } });
});

test("ends a round of single calls at the first that wants fewer, and says how far it came", async () => {
  const { ask, applied, round } = await asking(
    ({ order }) => (Number(order) > 2 ? Response.json({ error: "Too many requests" }) : readable(order)),
    { dialect: { status: "one" }, concurrentCalls: 1 },
  );
  expect(await ask(orders(1, 2, 3, 4))).toBe(3);
  expect(applied.map(([ids]) => ids)).toEqual(["1", "2", ""]);
  expect(round.isOver).toBe(true);
});

test("notes an order alone whose answer is too long", async () => {
  const { ask, applied } = await asking(() => new Response(TOO_LONG), { dialect: { status: "one" } });
  await ask(orders(1));
  expect(applied).toEqual([["1", { "1": "shape" }]]);
});

test("marks no order as unreadable because its provider stops to answer during a trial", async () => {
  const { ask, applied, round } = await asking(({ order }) =>
    order === undefined ? new Response("") : new Response("", { status: 502 }),
  );
  expect(await ask(orders(1))).toBe(0);
  expect(applied).toEqual([]);
  expect(round.isOver).toBe(true);
});

test("divides a list that fails where others are answered, and blames the order it fails with", async () => {
  const { ask, applied } = await asking(({ orders: ids = "" }) =>
    ids.split(",").includes("3")
      ? new Response("", { status: 500 })
      : Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status: "Pending" }]))),
  );
  await ask(orders(8, 9));
  await ask(orders(1, 2, 3, 4));
  const said = Object.assign({}, ...applied.map(([_, entries]) => entries));
  expect(said).toMatchObject({ "1": "Pending", "2": "Pending", "3": "shape", "4": "Pending" });
});

test.for([
  ["answers a list about its first id only", "many", 0],
  ["takes lists no more", "many", 1000],
] as const)("finds out that a provider %s", async ([what, way, unreadableSince]) => {
  const { ask, applied, link } = await asking(
    ({ order, orders: ids = "" }) =>
      order === undefined && what.includes("no more") ? Response.json(REFUSAL) : readable(order ?? ids.split(",")[0]),
    unreadableSince > 0 ? { dialect: { status: way } } : {},
  );
  await ask(orders(1, 2, 3).map((order) => ({ ...order, unreadableSince })));
  const said = Object.assign({}, ...applied.map(([_, entries]) => entries));
  expect(said).toEqual({ "1": "Pending", "2": "Pending", "3": "Pending" });
  expect(link.dialect).toEqual({ status: "one" });
});

test("finds out that a provider that was asked one by one takes only lists", async () => {
  const { ask, applied, link } = await asking(
    ({ orders: ids }) =>
      ids === undefined
        ? Response.json(REFUSAL)
        : Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status: "Pending" }]))),
    { dialect: { status: "one" } },
  );
  await ask(orders(1, 2));
  expect(applied.at(-1)).toEqual(["1,2", { "1": "Pending", "2": "Pending" }]);
  expect(link.dialect).toEqual({ status: "many" });
});

test("remembers since when every call fails, until one is answered", async () => {
  let fails = true;
  const { ask, round, newRound } = await asking(() => (fails ? new Response("<html>") : Response.json({})));
  vi.spyOn(Date, "now").mockReturnValue(1000);
  await ask(orders(1));
  expect(round.state).toEqual({ hasFailed: true, failingSince: 1000 });
  vi.spyOn(Date, "now").mockReturnValue(2000);
  await ask(orders(1), newRound(round.state));
  expect(round.state.failingSince).toBe(1000);
  fails = false;
  await ask(orders(1), newRound(round.state));
  expect(round.state).toEqual({ hasFailed: false, failingSince: 0 });
});

/**
 * Asks a provider that replies so, with these settings. `applied` lists the ids that were asked for, with what was said about
 * them.
 */
async function asking(reply: (params: Record<string, string>) => Response, settings: Partial<Provider> = {}) {
  const provider = await readProvider(await sandboxProvider());
  const link = linkTo({ ...provider, ...settings });
  const calls = providerReplies(reply);
  const applied: [string, unknown][] = [];
  const currencies: string[] = [];
  const apply = async (some: Order[], entries: Entries<Report>) => {
    const said = [...entries].map(([id, entry]) => [id, entry.kind === "report" ? entry.status : entry.why]);
    applied.push([some.map(({ providerOrderId }) => providerOrderId).join(), Object.fromEntries(said)]);
    for (const entry of entries.values()) if (entry.kind === "report") currencies.push(entry.currency);
  };
  const newRound = (state: CallState) => callsAboutOrders(link, apply, { state });
  const round = newRound(newCallState());
  return { link, calls, applied, round, currencies, newRound, ask: (some: Order[], of = round) => of.ask(some) };
}

function orders(...ids: number[]): Order[] {
  return ids.map((id) => ({ id, providerOrderId: String(id), unreadableSince: 0 }) as Order);
}
