import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, isOneOf, placeOrders } from "#tests/workerd/place-orders.ts";
import { runFulfillment } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies } from "#tests/workerd/sandbox-service.ts";
import { TRIAL_ORDERS } from "./rule-preview.server.ts";
import { applyToRest, previewUnread, teachWord, undoWord } from "./taught-words.server.ts";
import { readSpeaker, readTeaching } from "./teaching-page.server.ts";

const STAFF = { userId: "staff-rounds", name: "Grace Admin" };
const WORD = { kind: "state", key: "allset", meaning: "Partial" } as const;
/** Each order costs $0.90, and half of it is not delivered. */
const [CHARGE, REFUND] = [900_000, 450_000];

test("closes and refunds what a preview said when the provider is asked again: one order first, then the rest", async () => {
  const { providerId, userId, orderIds } = await placeOrders(
    Array.from({ length: TRIAL_ORDERS + 2 }, (_, at) => `https://a.example/${at}`),
  );
  await acceptOrders(orderIds);
  providerReplies(({ orders: asked = "", order = "" }) => {
    const entry = { status: "All set", remains: "500", charge: "0.5" };
    const ids = asked === "" ? [] : asked.split(",");
    return Response.json(order === "" ? Object.fromEntries(ids.map((id) => [id, entry])) : entry);
  });
  const all = orderIds.length;
  const start = all * MICRO - all * CHARGE;
  const state = async () => [await closedOf(orderIds), await readBalance(db, userId)];
  await runFulfillment(providerId);
  expect(await state()).toEqual([0, start]);
  const [unread] = (await readTeaching(db, providerId))?.unread ?? [];
  expect(unread).toMatchObject({ word: "All set", seen: all, answer: expect.stringContaining('"remains":"500"') });

  const speaker = async () => (await readSpeaker(db, providerId)) ?? { id: providerId, convention: "" };
  const preview = await previewUnread(db, await speaker(), WORD);
  expect(preview).toMatchObject({ closes: all, refund: all * REFUND, tryOn: expect.any(Number) });
  const digest = preview?.digest ?? "";
  expect(await teachWord(db, STAFF, await speaker(), { ...WORD, digest }, () => {})).toMatchObject({ ok: true });
  expect(await state()).toEqual([0, start]);
  await runFulfillment(providerId);
  expect(await state()).toEqual([1, start + REFUND]);

  const [word] = (await readTeaching(db, providerId))?.taught ?? [];
  expect(word?.trial).toMatchObject({ orderId: preview?.tryOn, outcome: "ended", rest: { closes: all - 1 } });
  const agreed = { wordId: word?.id ?? 0, digest: word?.trial?.rest.digest ?? "" };
  expect(await applyToRest(db, STAFF, await speaker(), agreed)).toMatchObject({ ok: true });
  expect(await state()).toEqual([1, start + REFUND]);
  await runFulfillment(providerId);
  expect(await state()).toEqual([all, start + all * REFUND]);

  expect(await undoWord(db, STAFF, providerId, agreed.wordId)).toMatchObject({ ok: true });
  await runFulfillment(providerId);
  expect(await state()).toEqual([all, start + all * REFUND]);
});

function closedOf(orderIds: number[]): Promise<number> {
  return db.$count(orders, and(isOneOf(orderIds), eq(orders.status, "Partial")));
}
