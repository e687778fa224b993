import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OpeningBehavior } from "../../scripts/plan-top-ups.ts";
import { SLOW_MS } from "./slow-and-hanging.ts";

/** A payment page at Stripe. `reference` is the product's id of it. */
export type StripeSession = { id: string; reference: string; cents: number; url: string };

/** Stripe's API as the product calls it. It opens payment pages as the script says, and knows them afterwards. */
export type WorldStripe = {
  url: string;
  sessions: StripeSession[];
  /** Sets how the API responds to whoever asks for a page of so many cents. */
  setOpening(cents: number, opening: OpeningBehavior): void;
  close(): Promise<void>;
};

export async function startWorldStripe(): Promise<WorldStripe> {
  const openings = new Map<number, OpeningBehavior>();
  const sessions: StripeSession[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fields = new URLSearchParams(Buffer.concat(chunks).toString());
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.method !== "POST" || request.url !== "/v1/checkout/sessions") return send(404, {});
    const cents = Number(fields.get("line_items[0][price_data][unit_amount]"));
    const opening = openings.get(cents);
    if (opening === "refused") return send(500, { error: { type: "api_error", message: "Something went wrong" } });
    if (opening === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    const reference = fields.get("client_reference_id") ?? "";
    // A repeated request has the same idempotency key, and so the same response.
    let session = sessions.find((known) => known.reference === reference);
    if (!session) {
      const id = `cs_test_${crypto.randomUUID()}`;
      session = { id, reference, cents, url: `https://checkout.stripe.example/${id}` };
      sessions.push(session);
    }
    if (opening === "cut") return void request.socket.destroy();
    send(200, { id: session.id, object: "checkout.session", url: session.url });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    setOpening: (cents, opening) => void openings.set(cents, opening),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
