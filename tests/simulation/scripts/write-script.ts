import { seededRandom } from "#tests/faults/seeded-random.ts";
import { planAccounts } from "./plan-accounts.ts";
import { planCatalog } from "./plan-catalog.ts";
import { planChats } from "./plan-chats.ts";
import { planClocks } from "./plan-clocks.ts";
import { planCodeOrders } from "./plan-code-orders.ts";
import { planFunds } from "./plan-funds.ts";
import { planLinks } from "./plan-links.ts";
import { planMail } from "./plan-mail.ts";
import { planMailboxes } from "./plan-mailboxes.ts";
import { planNews } from "./plan-news.ts";
import { orderBehaviors, placesOf, planOrders } from "./plan-orders.ts";
import { planPlatform, planStalls } from "./plan-platform.ts";
import { addNotes, planPrograms, planStalePrices } from "./plan-programs.ts";
import { planProviders } from "./plan-providers.ts";
import { planTopUps } from "./plan-top-ups.ts";
import { planWebhooks } from "./plan-webhooks.ts";
import { PROFILES, type Profile, type ProfileName } from "./profiles.ts";
import type { Script, WorldEvent } from "./script.ts";

/** Draws a script. The same seed and profile give the same script. */
export function writeScript(seed: number, name: ProfileName): Script {
  const profile: Profile = PROFILES[name];
  // Each planner has its own numbers, so that a change to one leaves the others' plans as they are.
  const randomOf = (planner: number) => seededRandom(seed * 101 + planner);
  const orders = planOrders(randomOf(1), profile);
  const catalog = planCatalog(randomOf(9), profile);
  const programs = [...planPrograms(randomOf(13), profile), ...planStalePrices(randomOf(14), profile)];
  addNotes(randomOf(15), [...orders, ...catalog]);
  const codeOrders = planCodeOrders(randomOf(16), profile);
  // The provider whose catalog changes comes last.
  const withShop = { ...profile, providers: profile.providers + 1 };
  const providers = planProviders(randomOf(0), withShop, placesOf([...orders, ...catalog, ...programs, ...codeOrders]));
  const events: WorldEvent[] = [
    ...orders,
    ...catalog,
    ...programs,
    ...planFunds(randomOf(8), profile),
    ...codeOrders,
    ...planNews(randomOf(17), profile),
    ...planClocks(randomOf(10), profile),
    ...planChats(randomOf(2), profile),
    ...planTopUps(randomOf(4), profile),
    ...planWebhooks(randomOf(5), profile),
    ...planAccounts(randomOf(6), profile),
    ...planMailboxes(randomOf(11), profile),
    ...planMail(randomOf(7), profile),
    ...planLinks(randomOf(12), profile),
  ];
  const busyTimes = events.map(({ at }) => at);
  events.push(...planPlatform(randomOf(3), profile, busyTimes), ...planStalls(randomOf(18), profile));
  events.sort((a, b) => a.at - b.at);
  const { durationMs, customers, poorCustomers, visitors, agents, oldOrders } = profile;
  return {
    seed,
    profile: name,
    durationMs,
    providers,
    shop: profile.providers,
    customers,
    poorCustomers,
    visitors,
    agents,
    oldOrders,
    events,
  };
}

/** Counts each behavior that a script draws. */
export function countDrawn({ events, providers }: Script): Map<string, number> {
  const drawn = new Map<string, number>();
  const count = (name: string) => drawn.set(name, (drawn.get(name) ?? 0) + 1);
  for (const { modes, dialect } of providers) {
    if (dialect) count(`dialect ${dialect}`);
    for (const { mode } of modes) count(`provider ${mode}`);
  }
  for (const event of events) {
    count(event.kind);
    if ("by" in event) count(`${event.kind} by ${event.by}`);
    if (event.kind === "spend" && event.lines.length > 1) count("mass order without funds");
    if (event.kind === "shop" && event.seen) count(`shop by ${event.by} with ${event.seen}`);
    if (event.kind === "paste") count(`pasted ${event.pasted} to ${event.check}`);
    if (event.kind === "webhook") count(`webhook for ${event.wants}`);
    if (event.kind === "webhook") for (const { mode } of event.outages) count(`receiver ${mode}`);
    if ("opening" in event) count(`checkout ${event.opening}`);
    if ("delivery" in event) {
      if (event.delivery.delayMs > 0) count("Stripe event late");
      if (event.delivery.copies > 1) count("Stripe event twice at once");
      if (event.delivery.againAfterMs !== null) count("Stripe event repeated");
    }
    if (event.kind === "redeem" && event.customers.length > 1) count("code redeemed by several at once");
    if ("copies" in event && event.copies > 1) count(`${event.kind} sent several times at once`);
    if ("hangsUpAfter" in event && event.hangsUpAfter !== null) count(`${event.kind} hung up and repeated`);
  }
  const refilled = new Set(events.map((event) => (event.kind === "refill" ? event.order : null)));
  for (const { name, plan } of placesOf(events)) if (refilled.has(name)) count(`refill ${plan.refill?.response}`);
  for (const place of placesOf(events))
    for (const behavior of orderBehaviors(place)) if (behavior !== "") count(behavior);
  return drawn;
}
