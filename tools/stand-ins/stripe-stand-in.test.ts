import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { startStripeStandIn } from "./stripe-stand-in.ts";

test("survives a product that is killed during a delivery, and sends the event again", async () => {
  const bodies: string[] = [];
  const delivered = vi.fn();
  const product = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      // After a SIGKILL the stand-in sees a connection that breaks without a response.
      if (bodies.length === 1) request.socket.destroy();
      else {
        response.writeHead(204).end();
        delivered();
      }
    });
  }).listen(0, "127.0.0.1");
  await once(product, "listening");
  const webhookUrl = `http://127.0.0.1:${(product.address() as AddressInfo).port}/stripe/webhook`;
  const standIn = await startStripeStandIn({ secretKey: "sk", webhookSecret: "secret", webhookUrl, retryMs: 10 });
  const opened = await fetch(`${standIn.url}/v1/checkout/sessions`, {
    method: "POST",
    headers: { Authorization: "Bearer sk" },
    body: new URLSearchParams({ success_url: "http://127.0.0.1/paid" }),
  });
  const { url } = (await opened.json()) as { url: string };

  const paid = await fetch(`${url}/confirm`, { method: "POST", redirect: "manual" });
  expect(paid.status).toBe(303);
  await vi.waitUntil(() => delivered.mock.calls.length === 1, { timeout: 90_000 });
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
  expect((await fetch(url)).status).toBe(200);
  await standIn.close();
  product.close();
});
