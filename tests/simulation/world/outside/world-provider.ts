import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { OrderPlan, RefillPlan } from "../../scripts/plan-orders.ts";
import type { ProviderMode, ProviderPlan } from "../../scripts/plan-providers.ts";
import { linkOfUsername } from "../site.ts";
import type { ProviderCatalog } from "./provider-catalog.ts";
import {
  type AskedIds,
  DIALECTS,
  type DialectName,
  idsIn,
  type OrderState,
  refusal,
  type Said,
  TOO_MANY,
} from "./provider-dialects.ts";
import { providerRefills, type TakenRefill } from "./provider-refills.ts";
import { hang, SLOW_MS } from "./slow-and-hanging.ts";

/** A call that sent an order or a refill. `response`: whether a complete response went out before the connection ended. */
export type AddCall = {
  link: string;
  /** The provider's id of the service. */
  service: string;
  at: number;
  realAt: number;
  /** Meaning of the response: the order was taken with this id, refused for its content, or deferred; or nothing certain. */
  outcome: { kind: "taken"; id: string } | { kind: "refused" } | { kind: "deferred" } | { kind: "unclear" };
  isAnswered: boolean;
};

/** A status that the provider gave, as it wrote it. */
export type StatusReport = {
  id: string;
  link: string;
  at: number;
  status: unknown;
  remains: unknown;
  /** What it says the order cost. Undefined if it said so before the order was canceled, too. */
  charge: number | undefined;
  isAnswered: boolean;
};

type TakenOrder = {
  id: string;
  link: string;
  quantity: number;
  /** Most pieces for a post of a subscription. */
  perPost: number;
  at: number;
  plan: OrderPlan;
  canceled: { at: number; remains: number } | null;
};

/** A provider that speaks a dialect of the panel convention over HTTP, behaves as the script says and remembers the truth. */
export type WorldProvider = {
  url: string;
  key: string;
  adds: AddCall[];
  orders: TakenOrder[];
  reports: StatusReport[];
  /** When it was in trouble. */
  modes: ProviderPlan["modes"];
  /** How it spells its answers, if the script says it. */
  dialect: DialectName | undefined;
  cancels: { id: string; at: number; isAccepted: boolean }[];
  /** Calls that asked for a refill. `link` is its order's. */
  refillCalls: AddCall[];
  refills: TakenRefill[];
  close(): Promise<void>;
};

const ENDLESS_CHUNK = "x".repeat(64 * 1024);
const COMPRESSED = gzipSync(Buffer.alloc(30_000_000));
/** An order takes a slow provider so long that a burst of them takes several rounds. Real ms. */
const SLOW_ADD_MS = 700;
const FLAP_MS = 2000;
const TAKEN: RefillPlan = { response: "taken", steps: [] };
/** What an order costs, in units of the currency. */
const CHARGE = 0.5;

const BAD_KEY = refusal("Invalid API key", "key");

type SendAdd = (
  outcome: AddCall["outcome"],
  status: number,
  body: unknown,
  headers?: Record<string, string>,
) => Promise<void>;
type SayAdd = (outcome: AddCall["outcome"], said: Said, headers?: Record<string, string>) => Promise<void>;

export async function startWorldProvider(options: {
  plan: ProviderPlan;
  /** Simulated ms since the script's beginning. */
  now: () => number;
  planOf: (link: string) => OrderPlan | undefined;
  catalog?: ProviderCatalog;
}): Promise<WorldProvider> {
  const key = crypto.randomUUID();
  const adds: AddCall[] = [];
  const orders: TakenOrder[] = [];
  const byId = new Map<string, TakenOrder>();
  const reports: StatusReport[] = [];
  const cancels: WorldProvider["cancels"] = [];
  const refillCalls: AddCall[] = [];
  const refills = providerRefills(options.now);
  const busyLinks = new Set<string>();
  const dialect = DIALECTS[options.plan.dialect ?? "plain"];

  const modeNow = (): ProviderMode | null => {
    const now = options.now();
    return options.plan.modes.find(({ from, to }) => from <= now && now < to)?.mode ?? null;
  };

  const server = createServer(async (request, response) => {
    const params = new URLSearchParams(await readBody(request));
    const action = params.get("action");
    const mode = modeNow();
    const add: AddCall | null =
      action === "add" || action === "refill"
        ? {
            link: linkIn(params) ?? byId.get(params.get("order") ?? "")?.link ?? "",
            service: params.get("service") ?? "",
            at: options.now(),
            realAt: Date.now(),
            outcome: { kind: "unclear" },
            isAnswered: false,
          }
        : null;
    if (add) (action === "add" ? adds : refillCalls).push(add);
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      new Promise<boolean>((resolve) => {
        response.once("close", () => resolve(response.writableFinished));
        response.writeHead(status, { "Content-Type": "application/json", ...headers });
        response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
      });
    const sendAdd: SendAdd = async (outcome, status, body, headers) => {
      if (add) add.outcome = outcome;
      const isAnswered = await send(status, body, headers);
      if (add) add.isAnswered = isAnswered;
    };
    const say = (said: Said) => {
      const { status, body, headers } = dialect.spell(said, action ?? "");
      return send(status, body, headers);
    };
    const sayAdd: SayAdd = (outcome, said, extra = {}) => {
      const { status, body, headers } = dialect.spell(said, action ?? "");
      return sendAdd(outcome, status, body, { ...headers, ...extra });
    };
    const deferred = { kind: "deferred" } as const;
    const unclear = { kind: "unclear" } as const;
    switch (mode) {
      case "flapping":
        if (Math.floor(options.now() / FLAP_MS) % 2 === 0) break;
        request.socket.destroy();
        return;
      case "dead":
        request.socket.destroy();
        return;
      case "hanging":
        return hang(response);
      case "busy":
        return void (await sayAdd(deferred, TOO_MANY, { "Retry-After": "60" }));
      case "maintenance":
        return void (await sendAdd(unclear, 503, "<html><body>We'll be back soon</body></html>", {
          "Content-Type": "text/html",
        }));
      case "failing":
        return void (await sendAdd(unclear, 500, "Internal Server Error"));
      case "redirecting":
        return void (await sendAdd(unclear, 302, "", { Location: "http://127.0.0.1:9/elsewhere" }));
      case "no_funds":
        if (action !== "balance") return void (await sayAdd(deferred, refusal("Not enough funds on balance", "funds")));
        break;
      case "bad_key":
        return void (await sayAdd(deferred, BAD_KEY));
      case "endless":
        return sendEndless(response);
      case "compressed":
        return void (await sendAdd(unclear, 200, COMPRESSED, { "Content-Encoding": "gzip" }));
      case "slow":
        await new Promise((resolve) => setTimeout(resolve, action === "add" ? SLOW_ADD_MS : SLOW_MS));
    }
    if (params.get("key") !== key) return void (await sayAdd(deferred, BAD_KEY));
    const ids = idsIn(params, action === "refill_status" ? "refill" : "order", dialect);
    switch (action) {
      case "add":
        return respondToAdd(params, {
          cut: () => request.socket.destroy(),
          hang: () => hang(response),
          sendAdd,
          sayAdd,
        });
      case "refill":
        return respondToRefill(params.get("order") ?? "", request, { sendAdd, sayAdd });
      case "balance":
        return void (await say({ kind: "balance", amount: 100_000 }));
      case "services":
        return void (await say({ kind: "catalog", services: options.catalog?.list() ?? [] }));
    }
    if (typeof ids === "string") return void (await say(refusal(ids)));
    switch (action) {
      case "status":
        return respondToStatus(ids, say);
      case "cancel":
        return void (await say({ kind: "cancels", ...ids, entries: ids.given.map((id) => [id, cancel(id)]) }));
      case "refill_status":
        return refills.report(ids, say);
      default:
        return void (await say(refusal("Incorrect request")));
    }
  });

  async function respondToAdd(
    params: URLSearchParams,
    { cut, hang, sendAdd, sayAdd }: { cut: () => void; hang: () => void; sendAdd: SendAdd; sayAdd: SayAdd },
  ): Promise<void> {
    const link = linkIn(params) ?? "";
    const plan = options.planOf(link);
    if (!plan) return sayAdd({ kind: "refused" }, refusal("Bad link"));
    switch (plan.add) {
      case "refuses_link":
        return sayAdd({ kind: "refused" }, refusal("Link is private"));
      case "refuses_quantity":
        return sayAdd({ kind: "refused" }, refusal("Quantity less than minimal 5000"));
      case "vague_error":
        return sayAdd({ kind: "unclear" }, refusal("Something went wrong"));
      case "busy_once":
        if (busyLinks.has(link)) break;
        busyLinks.add(link);
        return sayAdd({ kind: "deferred" }, TOO_MANY);
      case "html":
        return sendAdd({ kind: "unclear" }, 200, "<html><body>Just a moment…</body></html>", {
          "Content-Type": "text/html",
        });
      case "zero_id":
        return sayAdd({ kind: "unclear" }, { kind: "order", id: 0 });
    }
    const id = idFor(plan);
    const order: TakenOrder = {
      id,
      link,
      quantity: piecesIn(params),
      perPost: Number(params.get("max")),
      at: options.now(),
      plan,
      canceled: null,
    };
    orders.push(order);
    if (!byId.has(id)) byId.set(id, order);
    if (plan.add === "no_response") return hang();
    if (plan.add === "cut") return cut();
    const isText = plan.add === "huge_id" || !/^\d{1,15}$/.test(id);
    return sayAdd({ kind: "taken", id }, { kind: "order", id: isText ? id : Number(id) });
  }

  /** Returns an id that its caller has got. One that was lost could belong to another order. */
  function lastAnsweredId(): string | null {
    const { outcome } = adds.findLast((add) => add.isAnswered && add.outcome.kind === "taken") ?? {};
    return outcome?.kind === "taken" ? outcome.id : null;
  }

  function idFor(plan: OrderPlan): string {
    const next = orders.length + 1;
    switch (plan.add) {
      case "text_id":
        return `a1b2-${next}`;
      case "huge_id":
        return `90071992547409${String(next).padStart(6, "0")}`;
      case "reused_id":
        return lastAnsweredId() ?? String(next);
      default:
        return String(next);
    }
  }

  async function respondToStatus({ given, isList }: AskedIds, say: (said: Said) => Promise<boolean>) {
    const reported: StatusReport[] = [];
    const entries = given.map((id): readonly [string, OrderState | null] => {
      const order = byId.get(id);
      if (!order) return [id, null];
      const { status, remains, startCount, orders: used } = reportOf(order, options.now());
      const left = used === undefined ? undefined : order.quantity - used * order.perPost;
      const charge = /^(cancel|refund|fail)/i.test(status) ? 0 : CHARGE;
      const statedCharge = dialect.keepsCharge ? undefined : charge;
      const { link } = order;
      const at = options.now();
      reported.push({ id, link, at, status, remains: remains ?? left, charge: statedCharge, isAnswered: false });
      const ofPosts = used === undefined ? {} : { orders: Array.from({ length: used }, (_, n) => `${id}-${n}`) };
      return [id, { charge, startCount, status, remains, ...ofPosts }];
    });
    reports.push(...reported);
    const isAnswered = await say({ kind: "states", isList, entries });
    for (const report of reported) report.isAnswered = isAnswered;
  }

  /** Returns whether the order is canceled. */
  function cancel(id: string): boolean {
    const order = byId.get(id);
    const isOpen = order && !order.canceled && !isOver(reportOf(order, options.now()).status);
    if (!order || !isOpen || !order.plan.cancelable) {
      cancels.push({ id, at: options.now(), isAccepted: false });
      return false;
    }
    const { remains } = reportOf(order, options.now());
    order.canceled = { at: options.now(), remains: Number(String(remains).replaceAll(",", "")) };
    cancels.push({ id, at: options.now(), isAccepted: true });
    return true;
  }

  async function respondToRefill(
    id: string,
    request: IncomingMessage,
    { sendAdd, sayAdd }: { sendAdd: SendAdd; sayAdd: SayAdd },
  ): Promise<void> {
    const order = byId.get(id);
    if (!order) return sayAdd({ kind: "refused" }, refusal("Incorrect order ID"));
    const { link, plan } = order;
    const by = { sendAdd, sayAdd, cut: () => request.socket.destroy() };
    await refills.respond({ id, link, plan: plan.refill ?? TAKEN }, by);
  }

  // A connection that closes as the product reuses it is a call whose fate the product can't know.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`,
    key,
    adds,
    orders,
    reports,
    modes: options.plan.modes,
    dialect: options.plan.dialect,
    cancels,
    refillCalls,
    refills: refills.taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns what identifies an order: its link, or the link of a subscription's account. */
function linkIn(params: URLSearchParams): string | null {
  const username = params.get("username");
  return username === null ? params.get("link") : linkOfUsername(username);
}

/** Returns the most pieces that an order may get. */
function piecesIn(params: URLSearchParams): number {
  const count = (name: string) => Number(params.get(name) ?? 0);
  if (params.has("username")) return count("max") * (count("posts") + count("old_posts"));
  return count("quantity") * Number(params.get("runs") ?? 1);
}

/** Returns the status that the provider gives of an order at a time. */
function reportOf({ at, plan, quantity, canceled }: TakenOrder, now: number) {
  if (canceled) {
    const status = canceled.remains === quantity ? "Canceled" : "Partial";
    return { status, remains: String(canceled.remains), startCount: "120", orders: undefined };
  }
  const step = plan.steps.findLast(({ after }) => after <= now - at) ?? { status: "Pending" };
  return { startCount: undefined, remains: undefined, orders: undefined, ...step };
}

function isOver(status: unknown): boolean {
  return /^(complete|partial|cancel|refund|fail)/i.test(String(status));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Sends a body that never ends, until the caller hangs up. */
function sendEndless(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json" });
  const write = () => {
    while (!response.destroyed && response.write(ENDLESS_CHUNK));
  };
  response.on("drain", write);
  write();
}
