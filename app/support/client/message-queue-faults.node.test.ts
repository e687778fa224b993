import { expect, test } from "vitest";
import { type Random, seededRandom } from "#tests/faults/seeded-random.ts";
import { EMPTY_QUEUE, type QueueEffect, type QueueEvent, reduceQueue } from "./message-queue.ts";
import type { Pending } from "./pending-messages.ts";

/** The queue in a browser whose connections, requests and pages end at any moment, against a room that stores once. */

const SEEDS = 300;
const STEPS = 80;

type Request = { type: "post" | "upload"; clientId: string; isLost: boolean };

class Browser {
  readonly random: Random;
  /** Client ids, in the order in which the room has stored them. */
  readonly room: string[] = [];
  /** In the order written. The room refuses those that begin with "bad". */
  readonly written: string[] = [];
  readonly discarded = new Set<string>();
  readonly stored = new Map<string, Pending>();
  queue = EMPTY_QUEUE;
  /** Frames on their way, with the number of their socket. One may arrive after its socket was lost. */
  #up: { clientId: string; socket: number }[] = [];
  #down: { event: QueueEvent; socket: number }[] = [];
  #socket = 0;
  #requests: Request[] = [];
  #timers = new Map<string, QueueEvent>();

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  tell(event: QueueEvent): void {
    const { queue, effects } = reduceQueue(this.queue, event);
    this.queue = queue;
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: QueueEffect): void {
    switch (effect.type) {
      case "send":
        this.#up.push({ clientId: effect.text.clientId, socket: this.#socket });
        return;
      case "post":
        this.#requests.push({ type: "post", clientId: effect.text.clientId, isLost: false });
        return;
      case "upload":
        this.#requests.push({ type: "upload", clientId: effect.message.clientId, isLost: false });
        return;
      case "abortUpload":
        for (const request of this.#requests) if (request.type === "upload") request.isLost = true;
        return;
      case "keep":
        this.stored.set(effect.message.clientId, effect.message);
        return;
      case "forget":
      case "discard":
        this.stored.delete(effect.clientId);
        return;
      case "restore":
        this.#restore();
        return;
      case "leaveStuckSocket":
        this.lose();
        return;
      case "wait":
        this.#timers.set(effect.name, effect.event);
        return;
      default:
        effect satisfies never;
    }
  }

  #restore(): void {
    const all = [...this.stored.values()].sort((one, other) => one.createdAt - other.createdAt);
    for (const isFile of [false, true]) {
      const messages = all.filter(({ file }) => (file !== undefined) === isFile);
      this.tell({ type: "restored", messages });
    }
  }

  write(): void {
    const isFile = this.random.chance(0.3);
    const clientId = `${this.random.chance(0.15) ? "bad" : "good"} ${isFile ? "file" : "text"} ${this.written.length}`;
    this.written.push(clientId);
    const file = isFile ? { file: new File([], clientId) } : {};
    this.tell({ type: "written", clientId, body: clientId, now: this.written.length, ...file });
  }

  connect(connection: "live" | "polling"): void {
    if (connection === "polling") this.lose();
    this.#socket += 1;
    this.tell({ type: "connected", connection, settled: [...this.room] });
  }

  lose(): void {
    if (this.queue.connection === "live") this.tell({ type: "disconnected" });
  }

  /** Opens the page anew. What was on its way may still arrive. */
  reload(): void {
    this.queue = EMPTY_QUEUE;
    this.#timers.clear();
    for (const request of this.#requests) if (this.random.chance(0.5)) this.#take(request.clientId);
    this.#requests = [];
    this.#restore();
  }

  discard(): void {
    const message = this.queue.pending[this.random.upTo(this.queue.pending.length)];
    if (!message) return;
    this.discarded.add(message.clientId);
    this.tell({ type: "discarded", clientId: message.clientId });
  }

  retry(): void {
    const message = this.queue.pending[this.random.upTo(this.queue.pending.length)];
    if (message) this.tell({ type: "retried", clientId: message.clientId });
  }

  /** Lets the time of a timer come. */
  ring(): void {
    const [timer] = this.#timers;
    if (!timer) return;
    this.#timers.delete(timer[0]);
    this.tell(timer[1]);
  }

  /** Returns false for a message that the room refuses. */
  #take(clientId: string): boolean {
    if (clientId.startsWith("bad")) return false;
    if (!this.room.includes(clientId)) this.room.push(clientId);
    return true;
  }

  /** Delivers one frame to the room, or one reply to the queue. Returns false if nothing is on its way. */
  deliver(isCalm = false): boolean {
    const frame = this.#up.shift();
    if (frame) {
      const isBusy = !isCalm && this.random.chance(0.1);
      this.#down.push({ event: this.#reply(frame.clientId, isBusy), socket: frame.socket });
      return true;
    }
    const reply = this.#down.shift();
    if (reply && this.queue.connection === "live" && reply.socket === this.#socket) this.tell(reply.event);
    return reply !== undefined;
  }

  #reply(clientId: string, isBusy: boolean): QueueEvent {
    if (isBusy) return { type: "held", clientId };
    return this.#take(clientId) ? { type: "settled", clientId } : { type: "refused", clientId, reason: "blocked" };
  }

  /** Ends one request. Its response may be lost although the room has the message. Returns false if no request is open. */
  respond(isCalm = false): boolean {
    const request = this.#requests.shift();
    if (!request) return false;
    const { type, clientId } = request;
    const isTaken = (isCalm || this.random.chance(0.8)) && this.#take(clientId);
    const isLost = request.isLost || (!isCalm && this.random.chance(0.2));
    const status = isLost ? 0 : isTaken ? 200 : clientId.startsWith("bad") ? 422 : this.random.pick([429, 503]);
    const result = { status, value: status === 200 ? { clientId, seq: 1, created_at: 1 } : null };
    if (result.value) {
      this.stored.delete(clientId);
      this.tell({ type: "settled", clientId });
    }
    if (type === "post") this.tell({ type: "posted", clientId, result });
    else {
      this.tell({ type: "uploaded", clientId, result });
      this.tell({ type: "uploadEnded", clientId, again: status === 429 });
    }
    return true;
  }

  /** Lives on without a fault until nothing happens any more. */
  calmDown(): void {
    for (let round = 0; round < 5; round++) {
      this.connect("live");
      while (this.deliver(true) || this.respond(true) || this.queue.isHeld) if (this.queue.isHeld) this.ring();
    }
  }
}

/** Does something at random, faults more often than a browser has them. */
function live(browser: Browser): void {
  const { random } = browser;
  random.pick([
    () => browser.write(),
    () => browser.write(),
    () => browser.deliver(),
    () => browser.deliver(),
    () => browser.respond(),
    () => browser.respond(),
    () => browser.connect("live"),
    () => browser.connect(random.pick(["live", "polling"] as const)),
    () => browser.lose(),
    () => browser.ring(),
    () => browser.retry(),
    () => random.chance(0.4) && browser.reload(),
    () => random.chance(0.3) && browser.discard(),
  ])();
}

test("brings every message into the room, texts in the order written and files after them, whatever is lost", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const browser = new Browser(seed);
    for (let step = 0; step < STEPS; step++) live(browser);
    browser.calmDown();
    const isKept = (clientId: string) => !browser.discarded.has(clientId);
    const good = browser.written.filter((clientId) => clientId.startsWith("good") && isKept(clientId));
    const arrived = browser.room.filter(isKept);
    const texts = (all: string[]) => all.filter((clientId) => clientId.includes("text"));
    expect(arrived.toSorted(), `seed ${seed}: all`).toEqual(good.toSorted());
    expect(texts(arrived), `seed ${seed}: in order`).toEqual(texts(good));
    for (const [at, file] of good.entries()) {
      if (!file.includes("file")) continue;
      const before = texts(good.slice(0, at));
      const later = arrived.slice(arrived.indexOf(file));
      expect(
        later.filter((clientId) => before.includes(clientId)),
        `seed ${seed}: before ${file}`,
      ).toEqual([]);
    }
    const bad = browser.written.filter((clientId) => clientId.startsWith("bad") && isKept(clientId));
    expect(
      browser.queue.pending.map(({ clientId, state }) => `${clientId} ${state}`).toSorted(),
      `seed ${seed}`,
    ).toEqual(bad.map((clientId) => `${clientId} refused`).toSorted());
    expect([...browser.stored.keys()].toSorted(), `seed ${seed}: stored`).toEqual(bad.toSorted());
  }
});
