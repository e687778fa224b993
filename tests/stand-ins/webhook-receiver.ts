import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Received = { headers: Record<string, string>; body: string };

/**
 * Receives webhooks over real HTTP and stores them by path. `?fail=N` responds with 500 to the first N, `?hang=N` never
 * responds to the first N. A GET of the path returns what was received.
 */
export async function startWebhookReceiver(): Promise<{ url: string; close(): Promise<void> }> {
  const received = new Map<string, Received[]>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://receiver.invalid");
    const here = received.get(url.pathname) ?? [];
    if (request.method === "GET") {
      response.end(JSON.stringify(here));
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      here.push({ headers, body: Buffer.concat(chunks).toString() });
      received.set(url.pathname, here);
      if (here.length <= Number(url.searchParams.get("hang") ?? 0)) return;
      response.writeHead(here.length <= Number(url.searchParams.get("fail") ?? 0) ? 500 : 204);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
