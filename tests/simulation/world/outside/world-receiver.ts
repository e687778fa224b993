import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Outage } from "../../scripts/plan-webhooks.ts";
import { hang, SLOW_MS } from "./slow-and-hanging.ts";

/** A webhook as it arrived. Times in simulated ms since the script's beginning. */
export type Arrival = {
  path: string;
  at: number;
  id: string;
  timestamp: string;
  signature: string;
  body: string;
  /** The receiver returned 204. The product may not have seen it, if it was killed. */
  isAccepted: boolean;
};

/** The customers' server. Each webhook has a path of its own, which fails as the script says. */
export type WorldReceiver = {
  url: string;
  arrivals: Arrival[];
  /** Sets the clock, which exists once the world does. */
  setClock(now: () => number): void;
  listen(path: string, outages: Outage[]): void;
  close(): Promise<void>;
};

export async function startWorldReceiver(): Promise<WorldReceiver> {
  const arrivals: Arrival[] = [];
  const outagesOf = new Map<string, Outage[]>();
  let now = () => 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "";
    const header = (name: string) => String(request.headers[name] ?? "");
    const arrival: Arrival = {
      path,
      at: now(),
      id: header("webhook-id"),
      timestamp: header("webhook-timestamp"),
      signature: header("webhook-signature"),
      body: Buffer.concat(chunks).toString(),
      isAccepted: false,
    };
    arrivals.push(arrival);
    const mode = outagesOf.get(path)?.find(({ from, to }) => from <= arrival.at && arrival.at < to)?.mode;
    switch (mode) {
      case "failing":
        return void response.writeHead(500).end("Internal Server Error");
      case "gone":
        return void response.writeHead(410).end();
      case "redirecting":
        return void response.writeHead(302, { Location: `/elsewhere${path}` }).end();
      case "cut":
        return void request.socket.destroy();
      case "hanging":
        return hang(response);
      case "slow":
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    }
    arrival.isAccepted = true;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    setClock(clock) {
      now = clock;
    },
    listen: (path, outages) => void outagesOf.set(path, outages),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
