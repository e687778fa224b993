import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { type BenchCopy, startBenchCopy } from "./bench-copy.ts";

/**
 * `npm run bench:support`: our room against a bare hibernating one and partyserver's, in one workerd, taking turns. A round
 * trip is one message from one of two sockets until both have heard of it; each room has one under way at a time. What
 * our room owes D1 after its turn is waited for, so that nobody else's turn pays for it.
 *
 * A room that stores waits for the disk with each message, a bare one never does. So all of it is done twice: with the
 * state on this machine's disk, and in memory, where only the work of the rooms themselves is left.
 */

const KINDS = ["ours", "bare", "party"] as const;
type Kind = (typeof KINDS)[number];

const TURNS = 3;
/** As long as a busy room's outbox waits, so that each turn has its share of D1. */
const TURN_MS = 5000;
const WARM_UP_MS = 1000;
const IDLE_ROOMS = 2000;
/** workerd puts a room with sleeping sockets out of memory after ten quiet seconds. */
const SLEEP_MS = 12_000;

const DISKS = [
  { name: "on disk", folder: tmpdir() },
  { name: "in memory", folder: "/dev/shm" },
].filter(({ folder }) => existsSync(folder));

for (const { name, folder } of DISKS) {
  const copy = await startBenchCopy(folder);
  try {
    console.log(`\nState ${name}`);
    for (const rooms of [1, 200]) await roundTrips(copy, rooms);
    if (folder !== tmpdir()) continue;
    await statementsPer100(copy, "as fast as they are answered", 0);
    await statementsPer100(copy, "one every 300 ms", 300);
    await memory(copy);
  } finally {
    await copy.close();
  }
}
process.exit(0);

async function roundTrips({ url, stored, processor }: BenchCopy, rooms: number): Promise<void> {
  const lines = new Map<Kind, Line[]>();
  for (const kind of KINDS) lines.set(kind, await openLines(url, kind, rooms, `${kind}-${rooms}`));
  const rates = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  const tails = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  const costs = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  // The welcome of each.
  let said = rooms;
  for (let turn = 0; turn < TURNS; turn++) {
    for (const kind of KINDS) {
      const warmUp = await talk(lines.get(kind) ?? [], WARM_UP_MS);
      const before = processor();
      const took = await talk(lines.get(kind) ?? [], TURN_MS);
      costs.get(kind)?.push(((processor() - before) * 1000) / took.length);
      rates.get(kind)?.push((took.length / TURN_MS) * 1000);
      tails.get(kind)?.push(at(took, 0.99));
      if (kind !== "ours") continue;
      said += warmUp.length + took.length;
      await stored(`${kind}-${rooms}-`, said);
    }
  }
  const figure = (kind: Kind) => ({
    rate: median(rates.get(kind)),
    p99: median(tails.get(kind)),
    cost: median(costs.get(kind)),
  });
  const [ours, bare, party] = [figure("ours"), figure("bare"), figure("party")];
  console.log(`\n${rooms} ${rooms === 1 ? "room" : "rooms"}, two sockets each, median of ${TURNS} turns`);
  for (const [kind, { rate, p99, cost }] of Object.entries({ ours, bare, party })) {
    const trips = `${rate.toFixed(0).padStart(6)} round trips/s`;
    console.log(`  ${kind.padEnd(6)} ${trips}   p99 ${p99.toFixed(2)} ms   workerd ${cost.toFixed(0)} µs each`);
  }
  console.log(
    `  rate   ${ratio(ours.rate, bare.rate)} of bare (at least 0.8), ${ratio(ours.rate, party.rate)} of partyserver (at least 1.0)`,
  );
  console.log(`  p99    ${ratio(ours.p99, bare.p99)} of bare (at most 1.5)`);
  for (const line of [...lines.values()].flat()) line.close();
}

async function statementsPer100({ url, statements }: BenchCopy, how: string, everyMs: number): Promise<void> {
  const [line] = await openLines(url, "ours", 1, `statements-${everyMs}`);
  await pause(1000);
  const before = await statements();
  for (let sent = 0; sent < 100; sent++) {
    await line?.roundTrip();
    await pause(everyMs);
  }
  await pause(1000);
  console.log(`\nD1 statements for 100 messages, ${how}: ${(await statements()) - before}`);
  line?.close();
}

async function memory({ url, memory }: BenchCopy): Promise<void> {
  console.log(`\nMemory of workerd for each idle room out of ${IDLE_ROOMS} connected`);
  for (const kind of ["bare", "ours", "party"] as const) {
    const before = memory();
    const sockets = await openSockets(url, kind, IDLE_ROOMS, `idle-${kind}`);
    await pause(SLEEP_MS);
    console.log(`  ${kind.padEnd(6)} ${((memory() - before) / IDLE_ROOMS / 1024).toFixed(1)} KB`);
    for (const socket of sockets) socket.close();
    await pause(1000);
  }
}

type Line = { roundTrip(): Promise<number>; close(): void };

async function openLines(url: string, kind: Kind, rooms: number, prefix: string): Promise<Line[]> {
  const users = await openSockets(url, kind, rooms, prefix, "user");
  const agents = await openSockets(url, kind, rooms, prefix, "admin");
  return users.flatMap((user, room) => {
    const agent = agents[room];
    return agent ? [lineOf(kind, user, agent)] : [];
  });
}

function lineOf(kind: Kind, user: WebSocket, agent: WebSocket): Line {
  let waiting: { clientId: string; left: number; done: () => void } | null = null;
  let sent = 0;
  const hear = ({ data }: MessageEvent) => {
    if (!waiting || !String(data).includes(waiting.clientId)) return;
    waiting.left -= 1;
    if (waiting.left === 0) waiting.done();
  };
  for (const socket of [user, agent]) socket.addEventListener("message", hear);
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

/** Ten at a time: workerd refuses nobody, but the sockets' backlog does. */
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

/** How long each round trip took, in ms. */
async function talk(lines: Line[], forMs: number): Promise<number[]> {
  const end = performance.now() + forMs;
  const took: number[] = [];
  const loop = async (line: Line) => {
    while (performance.now() < end) took.push(await line.roundTrip());
  };
  await Promise.all(lines.map(loop));
  return took;
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function median(values: number[] = []): number {
  return at(values, 0.5);
}

function ratio(one: number, other: number): string {
  return (one / other).toFixed(2);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
