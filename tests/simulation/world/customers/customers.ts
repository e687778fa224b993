import { judgeAccounts } from "../../oracles/account-oracle.ts";
import { judgeKeys } from "../../oracles/api-key-oracle.ts";
import { judgeCatalogEvents } from "../../oracles/catalog/catalog-event-oracle.ts";
import { judgeCatalog, judgeFollowers } from "../../oracles/catalog/catalog-oracle.ts";
import { judgeNews } from "../../oracles/catalog/news-oracle.ts";
import { judgeCodes } from "../../oracles/code-oracle.ts";
import { judgeCodeOrders } from "../../oracles/code-order-oracle.ts";
import { judgeDeliveryTimes } from "../../oracles/delivery-oracle.ts";
import { judgeFunds } from "../../oracles/funds-oracle.ts";
import { judgeLinks } from "../../oracles/link-oracle.ts";
import { judgeMail } from "../../oracles/mail-oracle.ts";
import { judgeMailboxes } from "../../oracles/mailbox-oracle.ts";
import { judgeOrderLists } from "../../oracles/order-list-oracle.ts";
import { judgeRefills } from "../../oracles/refill-oracle.ts";
import { creditsOf, judgeTopUps } from "../../oracles/top-up-oracle.ts";
import { judgeViews } from "../../oracles/view-oracle.ts";
import type { OrderRow, Violation } from "../../oracles/violation.ts";
import { judgeWallets } from "../../oracles/wallet-oracle.ts";
import { judgeWebhooks } from "../../oracles/webhook-oracle.ts";
import type { ChatEvent } from "../../scripts/plan-chats.ts";
import type { ClockEvent } from "../../scripts/plan-clocks.ts";
import type { PlatformEvent } from "../../scripts/plan-platform.ts";
import type { WorldEvent } from "../../scripts/script.ts";
import type { Handlers } from "../actor.ts";
import { openFollowers } from "../catalog-follower.ts";
import { openCatalog } from "../catalog-world.ts";
import type { ChatWorld } from "../chat-world.ts";
import { openNews } from "../news-world.ts";
import type { World } from "../open-world.ts";
import type { OutsideServers } from "../outside/outside-servers.ts";
import type { Site, Trouble } from "../site.ts";
import { openAccounts } from "./account-world.ts";
import { openKeys } from "./api-key-world.ts";
import { openCodeOrders } from "./code-order-world.ts";
import { openCodes } from "./code-world.ts";
import { openFunds } from "./funds-world.ts";
import { openLinks } from "./link-world.ts";
import { openMailboxes } from "./mailbox-world.ts";
import type { PlacedOrder } from "./order-customer.ts";
import { openOrders } from "./order-world.ts";
import { openPrograms } from "./program-world.ts";
import { openPrying } from "./prying-world.ts";
import { openTopUps } from "./top-up-world.ts";
import { openWebhooks } from "./webhook-world.ts";

/** Everything that customers do, other than chat. */
export type Customers = {
  /** The orders of everybody whose account remains. */
  placed: PlacedOrder[];
  handlers: Handlers<Exclude<WorldEvent, ChatEvent | ClockEvent | PlatformEvent>>;
  /** Do what is due by itself: events that are delivered late, attempts that are repeated. */
  ticks: (() => Promise<void>)[];
  /** Judges what they were promised, except how their orders ended. */
  judge(rows: OrderRow[], platform: { kills: Trouble[]; troubles: Trouble[] }, chats: ChatWorld): Promise<Violation[]>;
};

export async function openCustomers(site: Site, world: World, servers: OutsideServers): Promise<Customers> {
  servers.mail.setClock(world.now);
  const orders = openOrders(site, world);
  const funds = openFunds(site, world, orders);
  const catalog = openCatalog(site, world, orders);
  const news = openNews(site, world, catalog);
  const programs = openPrograms(site, world, orders);
  const followers = openFollowers(site, world);
  const keys = openKeys(site, world);
  const topUps = openTopUps(site, world, servers.stripe);
  const codes = await openCodes(site, world);
  const codeOrders = openCodeOrders(site, world, orders, codes);
  const webhooks = openWebhooks(site, world, servers.receiver);
  const accounts = openAccounts(site, world);
  const mailboxes = openMailboxes(site, world, servers.google);
  const prying = openPrying(site, world);
  const links = await openLinks(site, world);
  const remaining = () => orders.placed.filter(({ event }) => !world.customers[event.customer]?.hasLeft);
  return {
    get placed() {
      return remaining();
    },
    handlers: {
      ...orders.handlers,
      ...funds.handlers,
      ...catalog.handlers,
      ...news.handlers,
      ...programs.handlers,
      ...followers.handlers,
      ...keys.handlers,
      ...topUps.handlers,
      ...codes.handlers,
      ...codeOrders.handlers,
      ...webhooks.handlers,
      ...accounts.handlers,
      ...prying.handlers,
      ...links.handlers,
      ...mailboxes.handlers,
      async mail({ by, to }) {
        servers.mail.fail(by, to);
      },
    },
    ticks: [topUps, codes, codeOrders, funds, catalog].map(({ tick }) => tick),
    judge: async (rows, platform, chats) => [
      ...(await judgeWallets(site, world, rows, (customer) => creditsOf(customer, topUps, codes))),
      ...(await judgeKeys(site, world, keys)),
      ...(await judgeRefills(site, world, remaining(), platform)),
      ...judgeFunds(world, funds, rows),
      ...judgeLinks(world, links, rows),
      ...judgeCatalog(site, world, catalog, rows),
      ...judgeFollowers(followers),
      ...judgeNews(world, news, catalog, rows),
      ...(await judgeOrderLists(site, world, programs, { rows, places: world.places })),
      ...(await judgeDeliveryTimes(site, world, orders.placed, rows)),
      ...judgeCatalogEvents(site, world, webhooks, catalog),
      ...judgeTopUps(topUps),
      ...judgeCodes(codes),
      ...judgeCodeOrders(world, codeOrders, rows),
      ...judgeWebhooks(site, world, webhooks, rows, platform.troubles),
      ...(await judgeAccounts(site, accounts, prying, {
        placed: orders.placed,
        rows,
        receiver: servers.receiver,
      })),
      ...judgeMail(site, world, servers.mail, { accounts, chats }),
      ...(await judgeMailboxes(site, world, mailboxes, platform.troubles)),
      ...(await judgeViews(site, world, rows)),
    ],
  };
}
