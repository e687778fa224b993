import type { AccountEvent } from "./plan-accounts.ts";
import type { CatalogEvent } from "./plan-catalog.ts";
import type { ChatEvent } from "./plan-chats.ts";
import type { ClockEvent } from "./plan-clocks.ts";
import type { CodeOrderEvent } from "./plan-code-orders.ts";
import type { FundsEvent } from "./plan-funds.ts";
import type { LinkEvent } from "./plan-links.ts";
import type { MailEvent } from "./plan-mail.ts";
import type { MailboxEvent } from "./plan-mailboxes.ts";
import type { NewsEvent } from "./plan-news.ts";
import type { OrderEvent } from "./plan-orders.ts";
import type { PlatformEvent } from "./plan-platform.ts";
import type { ProgramEvent } from "./plan-programs.ts";
import type { ProviderPlan } from "./plan-providers.ts";
import type { TopUpEvent } from "./plan-top-ups.ts";
import type { WebhookEvent } from "./plan-webhooks.ts";

/**
 * A script is everything that a world does, drawn from one seed before it begins, so that a run can be repeated and made
 * smaller. Times are simulated ms from its beginning.
 */
export type Script = {
  seed: number;
  profile: string;
  durationMs: number;
  /** How long the world lives on once the last delivery has ended, in simulated ms. Without it, four hours. */
  settleMs?: number;
  providers: ProviderPlan[];
  /** Number of the provider whose catalog changes. */
  shop?: number;
  customers: number;
  /** Customers who begin without money. Their numbers follow the others'. */
  poorCustomers?: number;
  visitors: number;
  agents: number;
  oldOrders?: number;
  events: WorldEvent[];
};

/** An event of one actor. Its planner draws it, and the actor's handler of this kind lives it. */
export type WorldEvent =
  | OrderEvent
  | FundsEvent
  | CodeOrderEvent
  | LinkEvent
  | CatalogEvent
  | NewsEvent
  | ProgramEvent
  | AccountEvent
  | TopUpEvent
  | WebhookEvent
  | MailEvent
  | MailboxEvent
  | ChatEvent
  | ClockEvent
  | PlatformEvent;
