import { parentPort, workerData } from "node:worker_threads";
import type { RoomClient } from "#app/support/client/room-client.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { installBrowser } from "./browser-globals.ts";

/** A thread that runs the browser's client for one side of every room, visitors or agents. */

export type SideData = {
  side: "user" | "admin";
  url: string;
  rooms: { sessionId: string; cookie: string }[];
  /** Mean time between two messages of a client, in ms. */
  everyMs: number;
};
export type Command = "talk" | "stop" | "refocus" | "report" | "end";
export type RoomReport = {
  sessionId: string;
  /** Bodies of the messages it sent, in order. */
  sent: string[];
  /** Every acknowledgement received from the server. */
  acks: { clientId: string; seq: number }[];
  /** The messages it shows. */
  shown: SupportMessage[];
  unsent: number;
  connection: string;
};

const port = parentPort;
if (!port) throw new Error("must run as a worker thread");
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

port.on("message", (command: Command) => {
  if (command === "talk") {
    for (const [sessionId, client] of clients)
      timers.push(setTimeout(talk, Math.random() * everyMs, sessionId, client));
  } else if (command === "stop") {
    for (const timer of timers.splice(0)) clearTimeout(timer);
  } else if (command === "refocus") {
    document.dispatchEvent(new Event("visibilitychange"));
  } else if (command === "report") {
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
