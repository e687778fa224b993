import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Stands in for Stripe Checkout on this machine: takes the call that opens a payment page, shows a page with "Pay" and
 * "Cancel", and sends the event, signed as Stripe signs (t=…,v1=HMAC-SHA256 of "t.body"), to the webhook.
 */

export type StripeStandIn = { url: string; close(): Promise<void> };

type Session = { id: string; fields: URLSearchParams; paid: boolean };

export async function startStripeStandIn(options: {
  secretKey: string;
  webhookSecret: string;
  webhookUrl: string;
}): Promise<StripeStandIn> {
  const sessions = new Map<string, Session>();

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://stand-in.invalid");
    const [, folder, id = "", act] = pathname.split("/");
    if (request.method === "POST" && pathname === "/v1/checkout/sessions") {
      const fields = new URLSearchParams(await bodyOf(request));
      if (request.headers.authorization !== `Bearer ${options.secretKey}`) {
        response.writeHead(401, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ error: { type: "invalid_request_error", message: "Invalid API Key provided" } }));
        return;
      }
      const session: Session = { id: `cs_test_${randomBytes(12).toString("hex")}`, fields, paid: false };
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
    const pays = act === "confirm";
    session.paid ||= pays;
    if (pays) await deliver(session);
    response.writeHead(303, { Location: session.fields.get(pays ? "success_url" : "cancel_url") ?? "/" }).end();
  });

  async function deliver(session: Session): Promise<void> {
    const body = JSON.stringify({
      id: `evt_${session.id}`,
      object: "event",
      type: "checkout.session.completed",
      data: { object: sessionObject(session) },
    });
    await fetch(options.webhookUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Stripe-Signature": signStripe(options.webhookSecret, body) },
      body,
    });
  }

  function url(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: url(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function signStripe(secret: string, body: string, at = Math.floor(Date.now() / 1000)): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}

function sessionObject({ id, fields, paid }: Session): object {
  return {
    id,
    object: "checkout.session",
    mode: fields.get("mode"),
    client_reference_id: fields.get("client_reference_id"),
    amount_total: Number(fields.get("line_items[0][price_data][unit_amount]")),
    currency: fields.get("line_items[0][price_data][currency]"),
    payment_status: paid ? "paid" : "unpaid",
    status: paid ? "complete" : "open",
  };
}

function paymentPage(session: Session): string {
  const amount = Number(session.fields.get("line_items[0][price_data][unit_amount]")) / 100;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stand-in for Stripe Checkout</title>
<link rel="icon" href="data:,">
<body style="font-family:sans-serif;max-width:24rem;margin:4rem auto"><h1>Stand-in for Stripe</h1>
<p>No money moves on this machine.</p>
<form method="post" action="/pay/${session.id}/confirm"><button>Pay $${amount.toFixed(2)}</button></form>
<form method="post" action="/pay/${session.id}/cancel"><button>Cancel</button></form>`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
