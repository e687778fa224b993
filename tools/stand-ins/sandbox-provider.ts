import { randomInt } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { appendJsonLine, readJsonLines } from "#tools/run/json-lines.ts";
import { faultOf, type SandboxFault } from "./sandbox-faults.ts";

/**
 * A provider that follows the panel convention over real HTTP. Orders move from Pending through In progress to Completed
 * within seconds. It keeps its orders in `file`, one JSON object per line, so that they survive a restart. Links can ask
 * for the faults in sandbox-faults.ts.
 */

type Reply = { status: number; body: string; headers?: Record<string, string> } | "cut" | "none";
type SandboxOrder = { id: number; service: string; link: string; quantity: number; startCount: number; at: number };

/** Errors instead of an order, by fault. */
const ADD_ERRORS: Partial<Record<string, string>> = {
  refuse: "Link is private",
  funds: "Not enough funds on balance",
  key: "Invalid API key",
  vague: "Something went wrong",
};
const FAILED: Reply = { status: 500, body: "Internal Server Error" };
const IN_PROGRESS_AFTER_MS = 800;
const COMPLETED_AFTER_MS = 2500;
const DELAY_MS = 1500;
/** Our balance there. Orders cost nothing, so that tests don't depend on each other. */
const FUNDS = 1_000_000;
/** An id of 1 would say nothing: some providers answer it to each refill. */
const FIRST_REFILL = 501;

export type SandboxProvider = { url: string; close(): Promise<void> };

export async function startSandboxProvider(options: {
  key: string;
  file: string;
  port?: number;
  /** The catalog that the action "services" returns. */
  services?: object[];
  /** Runs before each call is handled. It may delay the call, cut its connection, or have it fail with HTTP 500. */
  beforeCall?: (params: URLSearchParams) => Promise<"cut" | "fail" | undefined>;
}): Promise<SandboxProvider> {
  const orders = new Map<number, SandboxOrder>();
  const canceled = new Map<number, number>();
  /** The quick orders whose status was asked for. */
  const asked = new Set<number>();
  /** Orders by idempotency key. A repeated key returns its order. */
  const orderOfKey = new Map<string, number>();
  let funds = FUNDS;
  const refills: { order: number; at: number }[] = [];
  for (const order of readJsonLines<SandboxOrder>(options.file)) orders.set(order.id, order);

  /** A rejection that nobody catches would end the process. */
  function replyOrFail(params: URLSearchParams): Reply {
    try {
      return replyTo(params);
    } catch (error) {
      console.error(`sandbox provider: ${error}`);
      return FAILED;
    }
  }

  function replyTo(params: URLSearchParams): Reply {
    if (params.get("key") === options.key && params.get("action") === "add") {
      const known = orderOfKey.get(params.get("request_id") ?? "");
      if (known !== undefined) return { status: 200, body: JSON.stringify({ order: known }) };
      const fault = faultOf(params.get("link") ?? "");
      if (fault === "500") return FAILED;
      if (fault === "429") return { status: 429, body: JSON.stringify({ error: "Too many requests" }) };
      if (fault === "wait") return { status: 429, body: "Too many requests", headers: { "Retry-After": "60" } };
      if (fault === "mute") {
        add(params);
        return "none";
      }
      if (fault === "huge") return { status: 200, body: "x".repeat(50_000_000) };
      if (fault === "html") return { status: 200, body: "<html><body>Just a moment…</body></html>" };
      if (fault === "drop") {
        add(params);
        return "cut";
      }
    }
    return { status: 200, body: JSON.stringify(runAction(params)) };
  }

  function runAction(params: URLSearchParams): object {
    if (params.get("key") !== options.key) return { error: "Invalid API key" };
    switch (params.get("action")) {
      case "add":
        return add(params);
      case "status": {
        const ids = params.get("orders");
        if (ids === null) return status(params.get("order") ?? "");
        if (ids.split(",").some((id) => faultOfOrder(id) === "spoiling")) return { error: "Incorrect order ID" };
        return Object.fromEntries(ids.split(",").map((id) => [id, status(id)]));
      }
      case "refill":
        return orders.has(Number(params.get("order")))
          ? { refill: String(refill(params)) }
          : { error: "Incorrect order ID" };
      case "refill_status": {
        const ids = (params.get("refills") ?? "").split(",");
        return ids.map((id) => ({ refill: id, status: refillStatus(Number(id)) }));
      }
      case "cancel": {
        const ids = (params.get("orders") ?? "").split(",");
        return ids.map((id) => ({ order: Number(id), cancel: cancel(Number(id)) }));
      }
      case "services":
        return options.services ?? [];
      case "balance":
        return { balance: funds.toFixed(2), currency: "USD" };
      default:
        return { error: "Incorrect request" };
    }
  }

  function add(params: URLSearchParams): object {
    const link = params.get("link");
    const quantity = Number(params.get("quantity"));
    if (!link || !Number.isInteger(quantity) || quantity < 1) return { error: "Incorrect request" };
    const error = ADD_ERRORS[faultOf(link) ?? ""];
    if (error) return { error };
    const order: SandboxOrder = {
      id: orders.size + 1,
      service: params.get("service") ?? "",
      link,
      quantity: quantity * Number(params.get("runs") ?? 1),
      startCount: randomInt(100, 5000),
      at: Date.now(),
    };
    appendJsonLine(options.file, order);
    orders.set(order.id, order);
    const requestId = params.get("request_id");
    if (requestId !== null) orderOfKey.set(requestId, order.id);
    if (faultOf(link) === "drain") funds = 1;
    if (faultOf(link) === "fill") funds += 100 * FUNDS;
    if (faultOf(link) === "zero") return { order: 0 };
    return { order: faultOf(link) === "same" ? 1_000_000_007 : order.id };
  }

  function refill(params: URLSearchParams): number {
    refills.push({ order: Number(params.get("order")), at: Date.now() });
    return FIRST_REFILL + refills.length - 1;
  }

  function refillStatus(id: number): string | { error: string } {
    const refill = refills[id - FIRST_REFILL];
    if (!refill) return { error: "Refill not found" };
    if (faultOfOrder(String(refill.order)) === "quick") return "Completed";
    return Date.now() - refill.at > COMPLETED_AFTER_MS ? "Completed" : "In progress";
  }

  function faultOfOrder(id: string): SandboxFault | null {
    return faultOf(orders.get(Number(id))?.link ?? "");
  }

  /** Cancels what is not delivered yet. */
  function cancel(id: number): 1 | { error: string } {
    const order = orders.get(id);
    if (!order || deliveredPart(order) >= 1) return { error: "Order cannot be canceled" };
    canceled.set(id, Math.round(order.quantity * (1 - deliveredPart(order))));
    return 1;
  }

  function status(id: string): object {
    const order = orders.get(Number(id));
    if (!order) return { error: "Incorrect order ID" };
    const remainsOfCanceled = canceled.get(order.id);
    if (remainsOfCanceled !== undefined) {
      const status = remainsOfCanceled === order.quantity ? "Canceled" : "Partial";
      const remains = String(remainsOfCanceled);
      return { charge: "0", start_count: String(order.startCount), status, remains, currency: "USD" };
    }
    const start = String(order.startCount);
    const half = String(Math.floor(order.quantity / 2));
    switch (faultOf(order.link)) {
      case "partial":
        return { charge: "0", start_count: start, status: "Partial", remains: half, currency: "USD" };
      case "cancelled":
        return { charge: "0", start_count: "", status: "Cancelled", remains: order.quantity, currency: "USD" };
      case "unbegun":
        return { charge: "0.00000", start_count: "0", status: "Canceled", remains: "0", currency: "USD" };
      case "silent":
        return { status: "Canceled", currency: "USD" };
      case "active":
        return { charge: "0", start_count: start, status: "Active", remains: half, currency: "USD" };
      case "expired":
        return { status: "Expired", posts: "5", orders: [11, 12], currency: "USD" };
      case "failed":
        return { charge: "0", start_count: "", status: "Fail", remains: order.quantity, currency: "USD" };
      case "missing":
        return { error: "Incorrect order ID" };
      case "decimals":
        return { charge: "0.45", start_count: "1,204", status: "Partial", remains: "1,000.0", currency: "USD" };
      case "wordy":
        return { charge: "0", start_count: start, status: "Partial", remains: "about half", currency: "USD" };
      case "strange":
        return { charge: "0", start_count: start, status: "Awaiting moon", remains: half, currency: "USD" };
    }
    const isQuick = faultOf(order.link) === "quick";
    const done = isQuick ? Number(asked.has(order.id)) : deliveredPart(order);
    if (isQuick) asked.add(order.id);
    return {
      charge: "0",
      start_count: start,
      status: done >= 1 ? "Completed" : done > 0 ? "In progress" : "Pending",
      remains: String(Math.round(order.quantity * (1 - done))),
      currency: "USD",
    };
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const params = new URLSearchParams(Buffer.concat(chunks).toString());
      if (params.get("action") === "cancel" && faultOfOrder(params.get("orders") ?? "") === "hang") return;
      const before = await options.beforeCall?.(params);
      const reply = before === "cut" ? before : before === "fail" ? FAILED : replyOrFail(params);
      if (faultOf(params.get("link") ?? "") === "delay") await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      if (reply === "none") return;
      if (reply === "cut") {
        request.socket.destroy();
        return;
      }
      response.writeHead(reply.status, { "Content-Type": "application/json", ...reply.headers });
      response.end(reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns the delivered share of an order, from 0 to 1. */
function deliveredPart({ at, link }: SandboxOrder): number {
  if (["still", "hang"].includes(faultOf(link) ?? "")) return 0;
  const age = Date.now() - at;
  return Math.min(1, Math.max(0, (age - IN_PROGRESS_AFTER_MS) / (COMPLETED_AFTER_MS - IN_PROGRESS_AFTER_MS)));
}
