import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { type Figure, median, percentile, reportFigures } from "../figures.ts";
import { type BenchCopy, startBenchCopy } from "./bench-copy.ts";

/**
 * `npm run bench -- support`: compares our room with a bare hibernating one and partyserver's, in turns in one workerd. A
 * round trip is one message from one of two sockets until both have received a frame about it; each room has one in
 * progress at a time. Our room's turn ends when its writes to D1 are done, so that no other turn pays for them.
 *
 * A room that stores messages waits for the disk with each one; a bare room never does. So everything runs twice: with
 * state on this machine's disk, and in memory, which leaves only the work of the rooms.
 */

const KINDS = ["ours", "bare", "party"] as const;
type Kind = (typeof KINDS)[number];

const TURNS = 3;
/** The write interval of a busy room, so that each turn includes its share of D1. */
const TURN_MS = 5000;
const WARM_UP_MS = 1000;
const IDLE_ROOMS = 2000;
/** workerd evicts a hibernating room after ten idle seconds. */
const SLEEP_MS = 12_000;

const DISKS = [
  { name: "on disk", folder: tmpdir() },
  { name: "in memory", folder: "/dev/shm" },
].filter(({ folder }) => existsSync(folder));

const figures: Figure[] = [];
for (const { name, folder } of DISKS) {
  const copy = await startBenchCopy(folder);
  try {
    for (const rooms of [1, 200]) await roundTrips(copy, rooms, name);
    if (folder !== tmpdir()) continue;
    await statementsPer100(copy, "one after the other", 0);
    await statementsPer100(copy, "one every 300 ms", 300);
    await memory(copy);
  } finally {
    await copy.close();
  }
}
reportFigures(figures);
process.exit();

async function roundTrips({ url, stored, processor }: BenchCopy, rooms: number, disk: string): Promise<void> {
  const pairs = new Map<Kind, Pair[]>();
  for (const kind of KINDS) pairs.set(kind, await openPairs(url, kind, rooms, `${kind}-${rooms}`));
  const rates = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  const tails = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  const costs = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  // Every room has a welcome message.
  let messages = rooms;
  for (let turn = 0; turn < TURNS; turn++) {
    for (const kind of KINDS) {
      const warmUp = await talk(pairs.get(kind) ?? [], WARM_UP_MS);
      const before = processor();
      const durations = await talk(pairs.get(kind) ?? [], TURN_MS);
      costs.get(kind)?.push(((processor() - before) * 1000) / durations.length);
      rates.get(kind)?.push((durations.length / TURN_MS) * 1000);
      tails.get(kind)?.push(percentile(durations, 0.99));
      if (kind !== "ours") continue;
      messages += warmUp.length + durations.length;
      await stored(`${kind}-${rooms}-`, messages);
    }
  }
  const figure = (kind: Kind) => ({
    rate: median(rates.get(kind) ?? []),
    p99: median(tails.get(kind) ?? []),
    cost: median(costs.get(kind) ?? []),
  });
  const [ours, bare, party] = [figure("ours"), figure("bare"), figure("party")];
  const where = `${rooms} ${rooms === 1 ? "room" : "rooms"} ${disk}`;
  figures.push(
    {
      name: `round trips in ${where}, to bare`,
      value: ours.rate,
      unit: "/s",
      baseline: bare.rate,
      goal: { atLeast: 0.8 },
    },
    {
      name: `round trips in ${where}, to partyserver`,
      value: ours.rate,
      unit: "/s",
      baseline: party.rate,
      goal: { atLeast: 1 },
    },
    { name: `p99 in ${where}, to bare`, value: ours.p99, unit: "ms", baseline: bare.p99, goal: { atMost: 1.5 } },
    { name: `processor time in ${where}, to bare`, value: ours.cost, unit: "µs", baseline: bare.cost },
  );
  for (const pair of [...pairs.values()].flat()) pair.close();
}

async function statementsPer100({ url, statements }: BenchCopy, how: string, everyMs: number): Promise<void> {
  const [pair] = await openPairs(url, "ours", 1, `statements-${everyMs}`);
  await pause(1000);
  const before = await statements();
  for (let sent = 0; sent < 100; sent++) {
    await pair?.roundTrip();
    await pause(everyMs);
  }
  await pause(1000);
  const name = `D1 statements of 100 messages, ${how}`;
  figures.push({ name, value: (await statements()) - before, unit: "" });
  pair?.close();
}

async function memory({ url, memory }: BenchCopy): Promise<void> {
  const sizes = new Map<Kind, number>();
  for (const kind of ["bare", "ours", "party"] as const) {
    const before = memory();
    const sockets = await openSockets(url, kind, IDLE_ROOMS, `idle-${kind}`);
    await pause(SLEEP_MS);
    sizes.set(kind, (memory() - before) / IDLE_ROOMS / 1024);
    for (const socket of sockets) socket.close();
    await pause(1000);
  }
  const [value, baseline] = [sizes.get("ours") ?? Number.NaN, sizes.get("bare") ?? Number.NaN];
  figures.push({ name: `memory of each of ${IDLE_ROOMS} idle rooms, to bare`, value, unit: "KB", baseline });
}

/** The visitor's and the agent's socket of one room. */
type Pair = { roundTrip(): Promise<number>; close(): void };

async function openPairs(url: string, kind: Kind, rooms: number, prefix: string): Promise<Pair[]> {
  const users = await openSockets(url, kind, rooms, prefix, "user");
  const agents = await openSockets(url, kind, rooms, prefix, "admin");
  return users.flatMap((user, room) => {
    const agent = agents[room];
    return agent ? [pairOf(kind, user, agent)] : [];
  });
}

function pairOf(kind: Kind, user: WebSocket, agent: WebSocket): Pair {
  let waiting: { clientId: string; left: number; done: () => void } | null = null;
  let sent = 0;
  const onMessage = ({ data }: MessageEvent) => {
    if (!waiting || !String(data).includes(waiting.clientId)) return;
    waiting.left -= 1;
    if (waiting.left === 0) waiting.done();
  };
  for (const socket of [user, agent]) socket.addEventListener("message", onMessage);
  return {
    async roundTrip() {
      sent += 1;
      const clientId = `${kind}-message-${sent}-`;
      const started = performance.now();
      await new Promise<void>((done) => {
        waiting = { clientId, left: 2, done };
        user.send(JSON.stringify({ type: "send", clientId, body: "Where is my order? It was placed this morning." }));
      });
      return performance.now() - started;
    },
    close() {
      user.close();
      agent.close();
    },
  };
}

/** Opens ten at a time, because the backlog of the listening socket is short. */
async function openSockets(
  url: string,
  kind: Kind,
  rooms: number,
  prefix: string,
  side = "user",
): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (let from = 0; from < rooms; from += 10) {
    const count = Math.min(10, rooms - from);
    const opening = Array.from({ length: count }, (_, at) => open(`${url}/${kind}/${prefix}-${from + at}/${side}`));
    sockets.push(...(await Promise.all(opening)));
  }
  return sockets;
}

function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", () => resolve(socket));
    socket.addEventListener("error", () => reject(new Error(`no socket at ${url}`)));
  });
}

/** Returns the duration of each round trip, in ms. */
async function talk(pairs: Pair[], forMs: number): Promise<number[]> {
  const end = performance.now() + forMs;
  const durations: number[] = [];
  const loop = async (pair: Pair) => {
    while (performance.now() < end) durations.push(await pair.roundTrip());
  };
  await Promise.all(pairs.map(loop));
  return durations;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
