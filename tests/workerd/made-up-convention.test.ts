import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { type Order, providerBalances, providers, refills } from "#app/db/schema.server.ts";
import { requestCancellation } from "#app/orders/fulfillment/cancellations.server.ts";
import { requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readOffers } from "#app/orders/providers/catalog-offers.server.ts";
import { CONVENTIONS } from "#app/orders/providers/conventions/conventions.ts";
import { readBalances, readProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { BAZAAR } from "#tests/panels/made-up-convention.ts";
import { customerWith, db, service } from "./customer.ts";
import { readOrder, readProvider } from "./place-orders.ts";
import { runFulfillment } from "./run-fulfillment.ts";
import { providerReplies, sandboxProvider } from "./sandbox-service.ts";

/** Another family of panels needs one file. This one lives here with nothing but its value, and a panel that speaks it. */

const ORDER = { pieces: 1000, charge: 900_000 };

/** A family that takes no list of orders. */
const HERMIT = { ...BAZAAR, calls: { ...BAZAAR.calls, status: { action: "look", one: "parcel" } } };

beforeAll(() => {
  CONVENTIONS.bazaar = BAZAAR;
  CONVENTIONS.hermit = HERMIT;
});

beforeEach(() => {
  for (const level of ["error", "warn"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

afterAll(async () => {
  delete CONVENTIONS.bazaar;
  delete CONVENTIONS.hermit;
  expect(await checkLedger(db)).toEqual([]);
});

test("lives through orders at a panel of another family, known by one value", async () => {
  const stall = openStall();
  const providerId = await bazaarProvider();
  const provider = () => readProvider(providerId);
  const run = async () => runFulfillment(providerId);

  const offers = await readOffers(db, env, await provider());
  expect(offers).toMatchObject({ unreadable: [], isComplete: true });
  const flags = { dripfeed: true, refill: true, cancel: true };
  expect(offers?.offered).toEqual([
    {
      ...{ providerServiceId: "L1", name: "Lantern likes", category: "Instagram Lanterns", type: "Default" },
      ...{ rate: 500_000, min: 10, max: 10_000, ...flags },
    },
    {
      ...{ providerServiceId: "S1", name: "Sayings", category: "Instagram Lanterns", type: "Custom Comments" },
      ...{ rate: 2_000_000, min: 1, max: 500, dripfeed: false, refill: false, cancel: false },
    },
  ]);

  const funds = (await readProviderFunds(db, Date.now()))?.filter(({ id }) => id === providerId) ?? null;
  await readBalances(db, env, funds);
  const [balance] = await db.select().from(providerBalances).where(eq(providerBalances.providerId, providerId));
  expect(balance).toMatchObject({ balance: 1250 * MICRO, currency: "USD" });

  const { userId } = await customerWith(10 * MICRO);
  const likes = await service({ providerId, providerServiceId: "L1", ...flags });
  const sayings = await service({ providerId, providerServiceId: "S1", type: "Custom Comments", min: 1 });
  const place = (fields: Record<string, string>, serviceId = likes) => placed(userId, serviceId, fields);
  const pieces = String(ORDER.pieces);
  const whole = await place({ link: linkTo("whole"), quantity: pieces });
  const part = await place({ link: linkTo("part"), quantity: pieces });
  const undone = await place({ link: linkTo("undone"), quantity: pieces });
  const refused = await place({ link: linkTo("nowhere"), quantity: pieces });
  const waiting = await place({ link: linkTo("asleep"), quantity: pieces });
  const rounds = await place({ link: linkTo("rounds"), quantity: "100", runs: "10", interval: "60" });
  const texts = await place({ link: linkTo("texts"), comments: "So bright\nMore lamps" }, sayings);
  await run();
  const pass = inject("sandbox").key;
  const sent = stall.calls().filter(({ wish }) => wish === "place");
  const common = { pass, wish: "place", good: "L1" };
  expect(sent).toHaveLength(7);
  expect(sent).toContainEqual({ ...common, where: whole.link, pieces });
  expect(sent).toContainEqual({ ...common, where: rounds.link, pieces: "100", rounds: "10", pause: "60" });
  expect(sent).toContainEqual({
    ...{ ...common, good: "S1", where: texts.link },
    ...{ pieces: "2", sayings: "So bright\nMore lamps" },
  });
  for (const { id } of [whole, part, undone, rounds, texts]) {
    expect(await readOrder(id)).toMatchObject({
      fulfillment: "accepted",
      providerOrderId: expect.stringMatching(/^P-/),
    });
  }
  expect(await readOrder(refused.id)).toMatchObject({ status: "Canceled", refunded: ORDER.charge });
  expect(await readOrder(waiting.id)).toMatchObject({ status: "Pending", fulfillment: "queued", refunded: 0 });

  for (const { id } of [whole, part, undone, rounds]) {
    stall.say(await readOrder(id), { whereabouts: "Being packed", owed: "1 000", counted: "12" });
  }
  await run();
  expect(await readOrder(whole.id)).toMatchObject({ status: "In progress", startCount: 12, cost: 500_000 });
  expect(await readOrder(texts.id)).toMatchObject({ status: "Pending" });

  expect(await requestCancellation(db, env, { userId, isTest: false }, undone.id)).toEqual({ ok: true });
  await run();
  expect(stall.calls()).toContainEqual({ pass, wish: "undo", parcels: (await readOrder(undone.id)).providerOrderId });

  stall.say(await readOrder(whole.id), { whereabouts: "Handed over", owed: 0 });
  stall.say(await readOrder(part.id), { whereabouts: "Handed over in part", owed: "400" });
  stall.say(await readOrder(undone.id), { whereabouts: "TAKEN-BACK", owed: "1,000" });
  await run();
  await run();
  expect(await readOrder(whole.id)).toMatchObject({ status: "Completed", refunded: 0, remains: 0 });
  expect(await readOrder(part.id)).toMatchObject({ status: "Partial", refunded: 360_000, remains: 400 });
  expect(await readOrder(undone.id)).toMatchObject({ status: "Canceled", refunded: ORDER.charge });

  const requested = await requestRefill(db, { userId, isTest: false }, whole.id);
  expect(requested).toMatchObject({ ok: true });
  await run();
  const readRefill = async () => (await db.select().from(refills).where(eq(refills.orderId, whole.id)))[0];
  expect(await readRefill()).toMatchObject({ fulfillment: "accepted", providerRefillId: "T-1", status: "Pending" });
  stall.refilled = "Handed over";
  await run();
  expect(await readRefill()).toMatchObject({ status: "Completed" });

  const wishes = new Set(stall.calls().map(({ wish }) => wish));
  expect([...wishes].toSorted()).toEqual(
    Object.values(BAZAAR.calls)
      .map(({ action }) => action)
      .toSorted(),
  );
  const spent = 4 * ORDER.charge - 360_000 + texts.charge;
  expect(await readBalance(db, userId)).toBe(10 * MICRO - spent);
});

test("asks a family without lists about one order a call, also while none of its answers can be read", async () => {
  const stall = openStall();
  const providerId = await bazaarProvider("hermit");
  const { userId } = await customerWith(10 * MICRO);
  const likes = await service({ providerId, providerServiceId: "L1" });
  const links = ["fog", "mist"].map(linkTo);
  const placed = await Promise.all(links.map((link) => placedAt(userId, likes, link)));
  await runFulfillment(providerId);
  for (const { id } of placed) stall.say(await readOrder(id), { whereabouts: "Lost in the fog" });
  await runFulfillment(providerId);
  const looks = stall.calls().filter(({ wish }) => wish === "look");
  expect(looks.length).toBeGreaterThanOrEqual(2);
  for (const look of looks)
    expect(look).toEqual({ pass: look.pass, wish: "look", parcel: expect.stringMatching(/^P-\d$/) });
});

function placedAt(userId: string, serviceId: number, link: string): Promise<Order> {
  return placed(userId, serviceId, { link, quantity: String(ORDER.pieces) });
}

async function bazaarProvider(convention = "bazaar"): Promise<number> {
  const providerId = await sandboxProvider();
  await db.update(providers).set({ convention }).where(eq(providers.id, providerId));
  return providerId;
}

function linkTo(door: string): string {
  return `https://instagram.com/p/${door}-${crypto.randomUUID().slice(0, 8)}`;
}

async function placed(userId: string, serviceId: number, fields: Record<string, string>): Promise<Order> {
  const result = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
  if (!result.ok) throw new Error(result.fault.reason);
  return result.order;
}

type Entry = Record<string, unknown>;

/** Plays a panel of the family: it knows its parcels by their doors. */
function openStall() {
  const parcels = new Map<string, Entry>();
  const stall = {
    refilled: "On the table",
    say: ({ providerOrderId }: Order, entry: Entry) => parcels.set(providerOrderId ?? "", entry),
    calls: providerReplies((params) => Response.json(answer(params))),
  };
  const aye = (chest: unknown) => ({ nod: "aye", chest });
  const nay = (complaint: string) => ({ nod: "nay", complaint });
  function answer(params: Record<string, string>): Entry {
    const { pass, wish, where = "", parcel = "", parcels: named = parcel } = params;
    if (pass !== inject("sandbox").key) return nay("Your pass is not mine");
    const ids = named.split(",");
    switch (wish) {
      case "goods":
        return GOODS;
      case "purse":
        return aye({ coins: "1,250.00", coin: "USD" });
      case "place": {
        if (where.includes("nowhere")) return nay("The lane has no such door");
        if (where.includes("asleep")) return nay("The merchant sleeps");
        const id = `P-${parcels.size + 1}`;
        parcels.set(id, { whereabouts: "On the table", owed: params.pieces });
        return aye({ parcel: id });
      }
      case "look":
        return aye(ids.map((id) => ({ parcel: id, toll: "0.50", coin: "USD", ...parcels.get(id) })));
      case "undo":
        return aye(Object.fromEntries(ids.map((id) => [id, { undone: true }])));
      case "top-up":
        return aye({ top_up: "T-1" });
      case "look-again":
        return aye({ "T-1": { whereabouts: stall.refilled } });
      default:
        return nay("I don't know this wish");
    }
  }
  return stall;
}

const GOODS = {
  stall: [
    {
      aisle: "Instagram Lanterns",
      wares: [
        {
          ...{ good: "L1", called: "Lantern likes", sort: "loose", toll_for_a_thousand: "0.50" },
          ...{ fewest: 10, most: "10000", in_rounds: "yes", lasting: 30, undoable: true },
        },
        { good: "S1", called: "Sayings", sort: "sayings", toll_for_a_thousand: 2, fewest: "1", most: 500 },
      ],
    },
  ],
};
