import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { ownValue } from "#app/own-value.ts";

/**
 * Stands in for Stripe Checkout in local development. It opens sessions, shows a page with "Pay" and "Cancel", and sends
 * events to the webhook, signed as Stripe does (t=…,v1=HMAC-SHA256 of "t.body"). The page of a paid session has buttons
 * that refund and dispute it.
 */

export type StripeStandIn = { url: string; close(): Promise<void> };

type Session = { id: string; fields: URLSearchParams; paid: boolean; currency: string; refunds: number };

/** An event is sent again while the product is away, which takes a few seconds when it was killed. */
const DELIVERIES_MAX = 30;
const RETRY_MS = 1000;

/** The buttons of the page and the events they send. */
const PAGE_ACTIONS: Record<string, (session: Session) => { type: string; object: object } | null> = {
  confirm: (session) => {
    session.paid = true;
    return { type: "checkout.session.completed", object: sessionObject(session) };
  },
  // Stripe's settings can let customers pay in their own currency.
  "confirm-euro": (session) => {
    session.paid = true;
    session.currency = "eur";
    return { type: "checkout.session.completed", object: sessionObject(session) };
  },
  cancel: () => null,
  refund: (session) => ({ type: "refund.created", object: refundObject(session, amountOf(session)) }),
  "refund-half": (session) => ({ type: "refund.created", object: refundObject(session, amountOf(session) / 2) }),
  dispute: (session) => ({ type: "charge.dispute.created", object: disputeObject(session, "needs_response") }),
  win: (session) => ({ type: "charge.dispute.closed", object: disputeObject(session, "won") }),
  lose: (session) => ({ type: "charge.dispute.closed", object: disputeObject(session, "lost") }),
};

export async function startStripeStandIn(options: {
  secretKey: string;
  webhookSecret: string;
  webhookUrl: string;
  retryMs?: number;
}): Promise<StripeStandIn> {
  const sessions = new Map<string, Session>();
  const closing = new AbortController();

  const server = createServer((request, response) => {
    // A rejection that nobody catches would end the process, and every stand-in with it.
    respond(request, response).catch((error) => {
      console.error(`Stripe stand-in: ${request.method} ${request.url} failed: ${error}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://stand-in.invalid");
    const [, folder, id = "", action] = pathname.split("/");
    if (request.method === "POST" && pathname === "/v1/checkout/sessions") {
      const fields = new URLSearchParams(await bodyOf(request));
      if (request.headers.authorization !== `Bearer ${options.secretKey}`) {
        response.writeHead(401, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ error: { type: "invalid_request_error", message: "Invalid API Key provided" } }));
        return;
      }
      const session: Session = {
        id: `cs_test_${randomBytes(12).toString("hex")}`,
        fields,
        paid: false,
        currency: "",
        refunds: 0,
      };
      sessions.set(session.id, session);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ ...sessionObject(session), url: `${url()}/pay/${session.id}` }));
      return;
    }
    const session = folder === "pay" ? sessions.get(id) : undefined;
    if (!session) {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== "POST") {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      response.end(paymentPage(session));
      return;
    }
    await bodyOf(request);
    const event = ownValue(PAGE_ACTIONS, action ?? "")?.(session);
    if (event) await deliver(event.type, event.object);
    const returnField = action === "cancel" ? "cancel_url" : action?.startsWith("confirm") ? "success_url" : null;
    response.writeHead(303, { Location: returnField ? (session.fields.get(returnField) ?? "/") : `/pay/${id}` }).end();
  }

  async function deliver(type: string, object: object): Promise<void> {
    const body = JSON.stringify({
      id: `evt_${randomBytes(12).toString("hex")}`,
      object: "event",
      created: Math.floor(Date.now() / 1000),
      type,
      data: { object },
    });
    if (await isDelivered(body)) return;
    // As Stripe does, with the same event, after the page has responded.
    void redeliver(type, body);
  }

  async function redeliver(type: string, body: string): Promise<void> {
    for (let attempt = 2; attempt <= DELIVERIES_MAX; attempt++) {
      await setTimeout(options.retryMs ?? RETRY_MS, null, { ref: false });
      if (closing.signal.aborted || (await isDelivered(body))) return;
    }
    console.error(`Stripe stand-in: ${type} was not delivered`);
  }

  /** Returns false if the product is away or refuses the event. Never throws: it may be killed during the delivery. */
  async function isDelivered(body: string): Promise<boolean> {
    try {
      const response = await fetch(options.webhookUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Stripe-Signature": signStripe(options.webhookSecret, body) },
        body,
        signal: closing.signal,
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  function url(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: url(),
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function signStripe(secret: string, body: string, at = Math.floor(Date.now() / 1000)): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}

function amountOf({ fields }: Session): number {
  return Number(fields.get("line_items[0][price_data][unit_amount]"));
}

function refundObject(session: Session, amount: number): object {
  session.refunds++;
  const { id, refunds } = session;
  return {
    id: `re_${id}_${refunds}`,
    object: "refund",
    amount: Math.floor(amount),
    currency: "usd",
    payment_intent: `pi_${id}`,
    status: "succeeded",
  };
}

function disputeObject(session: Session, status: string): object {
  const { id } = session;
  return { id: `du_${id}`, object: "dispute", amount: amountOf(session), payment_intent: `pi_${id}`, status };
}

function sessionObject(session: Session): object {
  const { id, fields, paid, currency } = session;
  return {
    id,
    object: "checkout.session",
    mode: fields.get("mode"),
    client_reference_id: fields.get("client_reference_id"),
    payment_intent: paid ? `pi_${id}` : null,
    amount_total: amountOf(session),
    currency: currency || fields.get("line_items[0][price_data][currency]"),
    payment_status: paid ? "paid" : "unpaid",
    status: paid ? "complete" : "open",
  };
}

function paymentPage(session: Session): string {
  const amount = (amountOf(session) / 100).toFixed(2);
  const buttons = session.paid
    ? { refund: `Refund $${amount}`, "refund-half": "Refund half", dispute: "Dispute", win: "Win", lose: "Lose" }
    : { confirm: `Pay $${amount}`, "confirm-euro": `Pay €${amount} instead`, cancel: "Cancel" };
  const forms = Object.entries(buttons).map(
    ([action, label]) => `<form method="post" action="/pay/${session.id}/${action}"><button>${label}</button></form>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stand-in for Stripe Checkout</title>
<link rel="icon" href="data:,">
<body style="font-family:sans-serif;max-width:24rem;margin:4rem auto"><h1>Stand-in for Stripe</h1>
<p>No money moves on this machine.</p>
${forms.join("\n")}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
