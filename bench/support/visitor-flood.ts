import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { type Figure, median, percentile, reportFigures } from "../figures.ts";
import type { FloodCommand, FloodCounts, FloodData, FloodKind } from "./flooding-visitor.ts";

/**
 * `npm run bench -- flood [--rounds 5 --sockets 60]`: measures how long a stranger waits for the acknowledgement of a
 * message while one visitor floods, to the same without the flood, on a private copy of the product. Quiet and flooded
 * times take turns, so that other load on the machine affects both alike. The copy runs everything in one thread of
 * workerd, which the platform does not: there, rooms and requests are spread.
 */

const KINDS: FloodKind[] = ["frames", "uploads"];
const WARM_UP_MS = 2000;
const TURN_MS = 5000;
/** A little slower than the room's limit of ten a second. */
const SEND_EVERY_MS = 120;
const MOST = 3;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, sockets: { type: "string", default: "60" } },
});
const copy = await startLocalCopy();
const stranger = await newVisitor("Stranger", "203.0.113.1");
const socket = await openSocket(stranger);
let sent = 0;
await talk(WARM_UP_MS);

const quiet: number[] = [];
const flooded = new Map<FloodKind, number[]>(KINDS.map((kind) => [kind, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  for (const kind of KINDS) {
    quiet.push(...(await talk(TURN_MS)));
    const flood = await startFlood(`198.51.100.${round}`);
    flood.postMessage(kind satisfies FloodCommand);
    const times = await talk(TURN_MS);
    flooded.get(kind)?.push(...times);
    flood.postMessage("stop" satisfies FloodCommand);
    const [counts] = (await once(flood, "message")) as [FloodCounts];
    await flood.terminate();
    console.log(`round ${round + 1}, ${kind}: median ${median(times).toFixed(1)} ms, ${JSON.stringify(counts)}`);
  }
}
socket.close();
await copy.remove();

const SHARES = [
  ["median", 0.5],
  ["p95", 0.95],
] as const;
const figures = KINDS.flatMap((kind) =>
  SHARES.map(([name, share]): Figure => {
    const value = percentile(flooded.get(kind) ?? [], share);
    const figure = `a stranger's ack, ${name}, ${values.sockets} sockets of ${kind}`;
    return { name: figure, value, unit: "ms", baseline: percentile(quiet, share), goal: { atMost: MOST } };
  }),
);
reportFigures(figures);
process.exit();

/** Sends messages one after the other. Returns how long each took to its acknowledgement, in ms. */
async function talk(forMs: number): Promise<number[]> {
  const end = performance.now() + forMs;
  const times: number[] = [];
  while (performance.now() < end) {
    const started = performance.now();
    const clientId = `stranger-${sent++}`;
    const acknowledged = new Promise<void>((resolve) => {
      const onMessage = ({ data }: MessageEvent) => {
        if (!String(data).includes(`"ack","clientId":"${clientId}"`)) return;
        socket.removeEventListener("message", onMessage);
        resolve();
      };
      socket.addEventListener("message", onMessage);
    });
    socket.send(JSON.stringify({ type: "send", clientId, body: "Where is my order?" }));
    await acknowledged;
    const took = performance.now() - started;
    times.push(took);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, SEND_EVERY_MS - took)));
  }
  return times;
}

type Visitor = { sessionId: string; headers: Record<string, string> };

/** `address`: from which the visitor's requests come. */
async function newVisitor(name: string, address: string): Promise<Visitor> {
  const headers = { Origin: copy.url, "CF-Connecting-IP": address };
  const response = await fetch(`${copy.url}/support/session`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });
  const { session } = (await response.json()) as { session: { session_id: string } };
  return { sessionId: session.session_id, headers: { ...headers, Cookie: cookiesOf(response) } };
}

async function openSocket({ sessionId, headers }: Visitor): Promise<WebSocket> {
  const url = `${copy.url.replace("http", "ws")}/support/sessions/${sessionId}/socket`;
  // Node's WebSocket accepts headers, which the DOM type lacks.
  const opening = new WebSocket(url, { headers } as unknown as string[]);
  await new Promise<void>((resolve, reject) => {
    opening.addEventListener("open", () => resolve());
    opening.addEventListener("error", () => reject(new Error(`no socket at ${url}`)));
  });
  return opening;
}

/** Starts the thread of another visitor, who floods on command. */
async function startFlood(address: string): Promise<Worker> {
  const visitor = await newVisitor("Flood", address);
  const data: FloodData = { url: copy.url, ...visitor, sockets: Number(values.sockets) };
  const flood = new Worker(join(import.meta.dirname, "flooding-visitor.ts"), { workerData: data });
  await once(flood, "message");
  return flood;
}
