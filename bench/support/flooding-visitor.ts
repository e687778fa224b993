import { parentPort, workerData } from "node:worker_threads";

/** A thread in which one visitor floods their own room from many sockets, and then with uploads, as fast as it is let. */

export type FloodData = { url: string; sessionId: string; headers: Record<string, string>; sockets: number };
export type FloodKind = "frames" | "uploads";
export type FloodCommand = FloodKind | "stop";
/** What a flood tried and got since it began. */
export type FloodCounts = {
  frames: number;
  acks: number;
  refusals: number;
  opened: number;
  closed: number;
  notOpened: number;
  uploads: number;
  storedUploads: number;
};

/** A socket sends so many frames every `BURST_EVERY_MS`: 60 of them offer 12,000 frames a second. */
const BURST = 10;
const BURST_EVERY_MS = 50;
/** The waits before it connects again, on average, and after a refused upload: 60 and 30 attempts a second. */
const RECONNECT_AFTER_MS = 1000;
const UPLOAD_AGAIN_AFTER_MS = 2000;
const UPLOAD_BYTES = 100_000;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const port = parentPort;
if (!port) throw new Error("must run as a worker thread");
const { url, sessionId, headers, sockets } = workerData as FloodData;
const room = `/support/sessions/${sessionId}`;
const run = sessionId.slice(0, 8);
let kind: FloodKind | null = null;
let counts = noCounts();
let ids = 0;

port.on("message", async (command: FloodCommand) => {
  if (command === "stop") {
    kind = null;
    await Promise.all(loops.splice(0));
    port.postMessage(counts);
    return;
  }
  kind = command;
  counts = noCounts();
  loops.push(...Array.from({ length: sockets }, () => (command === "frames" ? floodFrames() : floodUploads())));
});
const loops: Promise<void>[] = [];
port.postMessage("ready");

function noCounts(): FloodCounts {
  return { frames: 0, acks: 0, refusals: 0, opened: 0, closed: 0, notOpened: 0, uploads: 0, storedUploads: 0 };
}

/** Texts, pings, typing, and frames that are none, over a socket that connects again whenever it is closed. */
async function floodFrames(): Promise<void> {
  await pause(RECONNECT_AFTER_MS * Math.random());
  while (kind === "frames") {
    const socket = await open();
    if (socket) {
      while (kind === "frames" && socket.readyState === WebSocket.OPEN) {
        for (let sent = 0; sent < BURST && socket.readyState === WebSocket.OPEN; sent++) {
          socket.send(nextFrame());
          counts.frames += 1;
        }
        await pause(BURST_EVERY_MS);
      }
      socket.close();
    }
    await pause(RECONNECT_AFTER_MS * (0.5 + Math.random()));
  }
}

function nextFrame(): string {
  const frames = [
    JSON.stringify({ type: "send", clientId: `${run}-${ids++}`, body: "Buy now! ".repeat(100) }),
    "ping",
    JSON.stringify({ type: "typing" }),
    '{"type":"send","body":',
  ];
  return frames[counts.frames % frames.length] ?? "";
}

function open(): Promise<WebSocket | null> {
  // Node's WebSocket accepts headers, which the DOM type lacks.
  const socket = new WebSocket(`${url.replace("http", "ws")}${room}/socket`, { headers } as unknown as string[]);
  socket.addEventListener("message", ({ data }) => {
    if (String(data).startsWith('{"type":"ack"')) counts.acks += 1;
    if (String(data).startsWith('{"type":"error"')) counts.refusals += 1;
  });
  return new Promise((resolve) => {
    socket.addEventListener("open", () => {
      counts.opened += 1;
      resolve(socket);
    });
    socket.addEventListener("close", () => {
      counts.closed += 1;
      resolve(null);
    });
    socket.addEventListener("error", () => {
      counts.notOpened += 1;
      resolve(null);
    });
  });
}

async function floodUploads(): Promise<void> {
  const body = new Uint8Array(UPLOAD_BYTES);
  body.set(PNG);
  await pause(UPLOAD_AGAIN_AFTER_MS * Math.random());
  while (kind === "uploads") {
    const query = new URLSearchParams({ clientId: `${run}-file-${ids++}`, name: "flood.png" });
    counts.uploads += 1;
    const status = await fetch(`${url}${room}/files?${query}`, { method: "POST", headers, body }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => 0,
    );
    if (status === 200) counts.storedUploads += 1;
    else await pause(UPLOAD_AGAIN_AFTER_MS * (0.5 + Math.random()));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
