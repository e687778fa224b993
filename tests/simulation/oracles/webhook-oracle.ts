import { createHmac } from "node:crypto";
import { DAY, HOUR, MINUTE, SECOND } from "../scripts/simulated-durations.ts";
import type { Webhook, WebhookWorld } from "../world/customers/webhook-world.ts";
import type { World } from "../world/open-world.ts";
import type { Arrival } from "../world/outside/world-receiver.ts";
import type { Site, Trouble } from "../world/site.ts";
import { FINAL, type OrderRow, type Violation } from "./violation.ts";

/** The waits between attempts (/docs/api), each up to 10% longer. */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const LATE_AT_MOST = 1.1;
const GIVES_UP_AFTER = 3 * DAY;
const SLACK = 2 * SECOND;
/** The clock moves in steps, and the product looks once a minute. */
const CLOCK_STEP = 15 * MINUTE;
/** Two orders that end at the same moment may be recorded in either order. */
const SAME_MOMENT = 5 * SECOND;

type Message = { type: string; timestamp: string; data: { order: number; status: string; remains: number } };
type CatalogMessage = { data: { since: number; version: number; services: { service: number }[] } };

/** Judges the webhooks that arrived by the rules of /docs/api. */
export function judgeWebhooks(
  site: Site,
  world: World,
  { webhooks, receiver }: WebhookWorld,
  rows: OrderRow[],
  troubles: Trouble[],
): Violation[] {
  const startedAt = site.now() - world.now();
  return webhooks.flatMap((webhook) => {
    // The orders of a deleted account are under another id.
    if (webhook.customer.hasLeft) return [];
    const arrivals = receiver.arrivals.filter(({ path }) => path === webhook.path);
    const elsewhere = receiver.arrivals.filter(({ path }) => path.startsWith("/elsewhere"));
    const violations: Violation[] = [];
    const broken = (rule: string, world: unknown, product: unknown) =>
      violations.push({ rule, subject: webhook.path, world, product });
    if (elsewhere.length > 0) broken("a webhook follows no redirect", null, elsewhere.length);
    judgeContents(webhook, arrivals, { rows, startedAt }, broken);
    judgeSequence(arrivals, broken);
    judgeWaits(arrivals, { troubles, startedAt }, broken);
    judgeGivingUp(arrivals, broken);
    const isComplete = webhook.endedAt === null && webhook.wants !== "catalog";
    if (isComplete) judgeCompleteness(webhook, arrivals, { rows, startedAt, now: world.now() }, broken);
    for (const { isAccepted } of arrivals) site.count(isAccepted ? "webhook accepted" : "webhook attempt failed");
    return violations;
  });
}

type Report = (rule: string, world: unknown, product: unknown) => void;

function judgeContents(
  webhook: Webhook,
  arrivals: Arrival[],
  { rows, startedAt }: { rows: OrderRow[]; startedAt: number },
  broken: Report,
): void {
  const bodies = new Map<string, string>();
  const idsOfOrders = new Map<number, string>();
  const seen = new Set<string>();
  let catalogVersion = 0;
  for (const arrival of arrivals) {
    const { id, body, at, timestamp } = arrival;
    if (!isSigned(webhook, arrival)) broken("a webhook is signed with its secret", webhook.secrets.length, arrival);
    if (Math.abs(Number(timestamp) * SECOND - (startedAt + at)) > 2 * MINUTE) {
      broken("a webhook states when it was sent", startedAt + at, timestamp);
    }
    if ((bodies.get(id) ?? body) !== body) broken("every attempt has the same id and body", bodies.get(id), body);
    bodies.set(id, body);
    const { type, data } = JSON.parse(body) as Message;
    const kind = type === "service.changed" ? "catalog" : "orders";
    if (webhook.wants !== kind && webhook.wants !== "both") {
      broken("a webhook gets only the kinds of events that its customer chose", webhook.wants, body);
    }
    if (type === "service.changed") {
      const { since, version, services } = (JSON.parse(body) as CatalogMessage).data;
      const isNext = since >= catalogVersion && version > since;
      // The first attempt counts: a later one repeats it.
      if (!seen.has(id) && !isNext) broken("each change of the catalog is told once, in order", catalogVersion, body);
      if (!seen.has(id)) catalogVersion = version;
      seen.add(id);
      const ids = services.map(({ service }) => service);
      if (new Set(ids).size < ids.length) broken("an event of the catalog names each service once", null, body);
      continue;
    }
    const row = rows.find((order) => order.id === data.order);
    if (row?.user_id !== webhook.customer.userId) {
      broken("nobody receives another's webhook", webhook.customer.userId, { body, row });
      continue;
    }
    if (type !== `order.${row.status.toLowerCase()}` || data.status !== row.status || data.remains !== row.remains) {
      broken("a webhook says how its order ended", row, body);
    }
    if ((idsOfOrders.get(data.order) ?? id) !== id)
      broken("an order's end has one id", idsOfOrders.get(data.order), id);
    idsOfOrders.set(data.order, id);
  }
}

/** "One at a time, in the order in which we recorded them. The next one is sent after you accepted the one before it." */
function judgeSequence(arrivals: Arrival[], broken: Report): void {
  const accepted = new Set<string>();
  let open: Arrival | null = null;
  let newest = 0;
  for (const arrival of arrivals) {
    if (accepted.has(arrival.id)) continue;
    if (open && open.id !== arrival.id) broken("later webhooks wait behind a failed one", open, arrival);
    const recorded = Date.parse((JSON.parse(arrival.body) as Message).timestamp);
    if (recorded < newest - SAME_MOMENT) broken("webhooks keep their order", newest, recorded);
    newest = Math.max(newest, recorded);
    open = arrival.isAccepted ? null : arrival;
    if (arrival.isAccepted) accepted.add(arrival.id);
  }
}

/** "If a request fails, we send it again after 5 seconds, 5 minutes, …, each up to 10% later", and not sooner. */
function judgeWaits(
  arrivals: Arrival[],
  { troubles, startedAt }: { troubles: Trouble[]; startedAt: number },
  broken: Report,
): void {
  for (const [id, attempts] of Map.groupBy(arrivals, (arrival) => arrival.id)) {
    const [first, last] = [startedAt + (attempts[0]?.at ?? 0), startedAt + (attempts.at(-1)?.at ?? 0)];
    // A kill or a refusing database loses what was noted of an attempt.
    if (troubles.some((trouble) => trouble.simulatedFrom <= last && trouble.simulatedTo >= first)) continue;
    for (const [n, { at }] of attempts.entries()) {
      const next = attempts[n + 1];
      const wait = WAITS[n];
      if (next && (wait === undefined || next.at < at + wait - SLACK)) {
        broken("a failed webhook is sent again no sooner than the docs say", { id, n, wait }, attempts);
      }
    }
  }
}

/** "After the last retry, or three days without a success, we turn the webhook off." */
function judgeGivingUp(arrivals: Arrival[], broken: Report): void {
  for (const [n, arrival] of arrivals.entries()) {
    const first = failingSince(arrivals.slice(0, n));
    // The attempt that ends the three days may come a wait later.
    const isLate = first !== undefined && arrival.at > first.at + GIVES_UP_AFTER + DAY * LATE_AT_MOST;
    if (isLate) broken("a failing webhook is turned off", first, arrival);
  }
}

/** Returns the first failure since the last success. */
function failingSince(arrivals: Arrival[]): Arrival | undefined {
  return arrivals[arrivals.findLastIndex(({ isAccepted }) => isAccepted) + 1];
}

/** Each order that ended was sent, or waits behind a failed attempt whose next one is not due. */
function judgeCompleteness(
  webhook: Webhook,
  arrivals: Arrival[],
  { rows, startedAt, now }: { rows: OrderRow[]; startedAt: number; now: number },
  broken: Report,
): void {
  const sent = new Set(
    arrivals.filter(({ isAccepted }) => isAccepted).map(({ body }) => (JSON.parse(body) as Message).data.order),
  );
  const missing = rows.filter(
    ({ id, user_id, status, created_at }) =>
      user_id === webhook.customer.userId &&
      FINAL.includes(status) &&
      created_at > startedAt + webhook.since &&
      !sent.has(id),
  );
  if (missing.length === 0) return;
  const last = arrivals.at(-1);
  const attempts = arrivals.filter(({ id }) => id === last?.id);
  const failing = failingSince(arrivals);
  const isOff = failing !== undefined && last !== undefined && last.at >= failing.at + GIVES_UP_AFTER;
  if (isOff) return;
  const wait = last && !last.isAccepted ? WAITS[attempts.length - 1] : undefined;
  if (last && wait !== undefined && now < last.at + wait * LATE_AT_MOST + CLOCK_STEP) return;
  broken(
    "each end of an order is delivered",
    { orders: missing.map(({ id }) => id).slice(0, 5), count: missing.length, now },
    attempts.map(({ at, id, isAccepted }) => ({ at, id, isAccepted })),
  );
}

/** Verifies the signature as Standard Webhooks says. The previous secret signs as well for a day. */
function isSigned({ secrets }: Webhook, { id, timestamp, body, signature, at }: Arrival): boolean {
  const given = signature.split(" ");
  const newest = secrets.findLast(({ since }) => since < at - MINUTE);
  const allowed = secrets.filter((secret) => secret === newest || secret.since > at - DAY || newest === undefined);
  return allowed.some(({ value }) => {
    const key = Buffer.from(value.slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    return given.includes(`v1,${expected}`);
  });
}
