import { parentPort, workerData } from "node:worker_threads";
import type { RoomClient } from "#app/support/client/room-client.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { installBrowser } from "./browser-globals.ts";

/** One side of every room, visitors or agents, in a thread of its own: each with the client that a browser runs. */

export type SideData = {
  side: "user" | "admin";
  url: string;
  rooms: { sessionId: string; cookie: string }[];
  /** Each client says something so often, in ms. */
  everyMs: number;
};
export type Order = "talk" | "hush" | "look" | "report" | "end";
export type RoomReport = {
  sessionId: string;
  /** What it said, in the order in which it said it. */
  sent: string[];
  /** As they came off the wire: the acknowledged client id and its seq. */
  acks: { clientId: string; seq: number }[];
  /** What it shows in the end. */
  shown: SupportMessage[];
  unsent: number;
  connection: string;
};

const port = parentPort;
if (!port) throw new Error("runs as a thread only");
const { side, url, rooms, everyMs } = workerData as SideData;
const cookies = new Map(rooms.map((room) => [room.sessionId, room.cookie]));
const reports = new Map(
  rooms.map(({ sessionId }): [string, Pick<RoomReport, "sent" | "acks">] => [sessionId, { sent: [], acks: [] }]),
);

installBrowser({
  url,
  cookieOf: (sessionId) => cookies.get(sessionId) ?? "",
  onAck: ({ sessionId, clientId, seq }) => reports.get(sessionId)?.acks.push({ clientId, seq }),
});
const { openRoom } = await import("#app/support/client/room-client.ts");
const clients = new Map<string, RoomClient>(
  rooms.map(({ sessionId }) => [sessionId, openRoom(sessionId, { side, name: side })]),
);
const timers: NodeJS.Timeout[] = [];

port.on("message", (order: Order) => {
  if (order === "talk") {
    for (const [sessionId, client] of clients)
      timers.push(setTimeout(talk, Math.random() * everyMs, sessionId, client));
  } else if (order === "hush") {
    for (const timer of timers.splice(0)) clearTimeout(timer);
  } else if (order === "look") {
    document.dispatchEvent(new Event("visibilitychange"));
  } else if (order === "report") {
    port.postMessage([...clients].map(([sessionId, client]) => report(sessionId, client)));
  } else {
    for (const client of clients.values()) client.close();
    process.exit(0);
  }
});
port.postMessage("ready");

function talk(sessionId: string, client: RoomClient): void {
  const sent = reports.get(sessionId)?.sent ?? [];
  const body = `${side} ${sent.length}`;
  sent.push(body);
  client.send(body);
  timers.push(setTimeout(talk, everyMs * (0.5 + Math.random()), sessionId, client));
}

function report(sessionId: string, client: RoomClient): RoomReport {
  const { messages, pending, connection } = client.getState();
  const { sent = [], acks = [] } = reports.get(sessionId) ?? {};
  return { sessionId, sent, acks, shown: messages, unsent: pending.length, connection };
}
