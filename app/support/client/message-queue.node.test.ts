import { expect, test } from "vitest";
import { EMPTY_QUEUE, type Queue, type QueueEffect, type QueueEvent, reduceQueue } from "./message-queue.ts";
import type { Pending } from "./pending-messages.ts";

/** A queue whose effects the test reads instead of running them. */
class Page {
  queue: Queue = EMPTY_QUEUE;

  /** Tells the queue what happens and returns what the client has to do. */
  tell(...events: QueueEvent[]): string[] {
    return events.flatMap((event) => {
      const before = structuredClone({ ...this.queue, pending: shown(this.queue.pending) });
      const { queue, effects } = reduceQueue(this.queue, event);
      expect({ ...this.queue, pending: shown(this.queue.pending) }, "the queue before").toEqual(before);
      this.queue = queue;
      return effects.map(describe);
    });
  }

  write(body: string, now = 0): string[] {
    return this.tell({ type: "written", clientId: body, body, now });
  }

  choose(name: string): string[] {
    return this.tell({ type: "written", clientId: name, body: name, file: new File([name], name), now: 0 });
  }

  settle(clientId: string): string[] {
    return this.tell({ type: "settled", clientId });
  }

  connect(...settled: string[]): string[] {
    return this.tell({ type: "connected", connection: "live", settled });
  }

  poll(...settled: string[]): string[] {
    return this.tell({ type: "connected", connection: "polling", settled });
  }

  post(clientId: string, result: Extract<QueueEvent, { type: "posted" }>["result"]): string[] {
    return this.tell({ type: "posted", clientId, result });
  }

  get pending(): string[] {
    return shown(this.queue.pending);
  }
}

function shown(pending: Pending[]): string[] {
  return pending.map(({ body, state, reason }) => [body, state, reason].filter(Boolean).join(" "));
}

function describe(effect: QueueEffect): string {
  switch (effect.type) {
    case "send":
    case "post":
      return `${effect.type} ${effect.text.clientId}`;
    case "keep":
    case "upload":
      return `${effect.type} ${effect.message.clientId}`;
    case "forget":
    case "discard":
      return `${effect.type} ${effect.clientId}`;
    case "wait":
      return `${effect.type} ${effect.name}`;
    default:
      return effect.type;
  }
}

/** What is sent, of all that the client has to do. */
function sent(effects: string[]): string[] {
  return effects.filter((effect) => /^(send|post|upload) /.test(effect));
}

function stored(clientId: string, createdAt: number, state: Pending["state"] = "sending"): Pending {
  return { clientId, body: clientId, createdAt, state };
}

function connected(): Page {
  const page = new Page();
  page.connect();
  return page;
}

function polling(): Page {
  const page = new Page();
  page.poll();
  return page;
}

const OK = { status: 200, value: { clientId: "", seq: 1, created_at: 1 } };
const failed = (status: number, error?: string) => ({ status, value: null, error });

test("stores a text before it is sent", () => {
  expect(connected().write("one")).toEqual(["keep one", "wait one", "send one"]);
});

test("sends one text at a time, each after the reply to the one before it", () => {
  const page = connected();
  page.write("one");
  expect(sent([...page.write("two"), ...page.write("three")])).toEqual([]);
  expect(page.settle("one")).toEqual(["forget one", "send two"]);
  expect(page.settle("two")).toEqual(["forget two", "send three"]);
  expect(page.settle("three")).toEqual(["forget three"]);
  expect(page.pending).toEqual([]);
});

test("keeps messages in the order written, whatever the computer's clock says", () => {
  const page = connected();
  page.write("one", 1000);
  page.write("two", 1000);
  page.write("three", 5);
  expect(page.pending).toEqual(["one sending", "two sending", "three sending"]);
  const times = page.queue.pending.map(({ createdAt }) => createdAt);
  expect(times).toEqual([1000, 1001, 1002]);
});

test("sends a text whose answer was lost again, and none that the room has", () => {
  const page = connected();
  for (const body of ["one", "two", "three"]) page.write(body);
  page.settle("one");
  expect(page.tell({ type: "disconnected" })).toEqual(["abortUpload"]);
  expect(sent(page.connect("two"))).toEqual(["send three"]);
  expect(page.pending).toEqual(["three sending"]);
  expect(sent(page.connect())).toEqual(["send three"]);
});

test("sends nothing twice after a second acknowledgment", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  page.settle("one");
  expect(page.settle("one")).toEqual(["forget one"]);
  expect(page.queue.inFlight).toBe("two");
});

test("sends everything again over the connection after a dead one, which still waits for a reply", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  // No reply and no close: the socket notices by itself, and the next one is ready.
  expect(sent(page.connect())).toEqual(["send one"]);
  expect(sent(page.settle("one"))).toEqual(["send two"]);
});

test("shows a text without a reply as failed, and lets those after it wait for their turn", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  expect(page.tell({ type: "expired", clientId: "two" })).toEqual(["wait two"]);
  page.tell({ type: "expired", clientId: "one" });
  expect(page.pending).toEqual(["one failed", "two sending"]);
  expect(sent(page.connect())).toEqual(["send one"]);
  expect(page.pending).toEqual(["one sending", "two sending"]);
  page.settle("one");
  expect(page.tell({ type: "expired", clientId: "one" })).toEqual([]);
});

test("connects again for a text that is tried again behind one without a reply", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  page.tell({ type: "refused", clientId: "one", reason: "blocked" });
  expect(page.queue.inFlight).toBe("two");
  expect(page.tell({ type: "retried", clientId: "one" })).toEqual(["wait one", "leaveStuckSocket"]);
  expect(sent(page.connect())).toEqual(["send one"]);
  expect(page.tell({ type: "retried", clientId: "gone" })).toEqual([]);
});

test("sends what an earlier page left, in the order written, and leaves what the room refused", () => {
  const page = new Page();
  const effects = page.tell({ type: "restored", messages: [stored("no", 1, "refused"), stored("one", 2)] });
  expect(sent([...effects, ...page.tell({ type: "restored", messages: [stored("two", 3)] })])).toEqual([]);
  expect(page.pending).toEqual(["no refused", "one sending", "two sending"]);
  expect(sent(page.connect())).toEqual(["send one"]);
  expect(sent(page.tell({ type: "restored", messages: [stored("one", 2)] }))).toEqual([]);
  expect(page.queue.pending).toHaveLength(3);
});

test("looks with each connection for what another tab has left", () => {
  expect(connected().connect()).toEqual(["restore"]);
});

test("posts a text that was on its way over a socket that is lost", () => {
  const page = connected();
  page.write("one");
  page.tell({ type: "disconnected" });
  expect(sent(page.poll())).toEqual(["post one"]);
});

test("forgets a stored text that another tab has sent", () => {
  const page = connected();
  page.connect("one");
  expect(page.tell({ type: "restored", messages: [stored("one", 1)] })).toEqual(["forget one"]);
  expect(page.pending).toEqual([]);
});

test("drops what another tab removed, but not a text on its way, whose reply settles it", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  page.choose("a.png");
  page.tell({ type: "refused", clientId: "one", reason: "blocked" });
  for (const clientId of ["one", "two", "a.png", "unknown"]) page.tell({ type: "removed", clientId });
  expect(page.pending).toEqual(["two sending"]);
});

test("forgets a discarded message in every tab, and goes on with the next one", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  expect(page.tell({ type: "discarded", clientId: "one" })).toEqual(["discard one", "send two"]);
});

test("keeps a refused text as refused, goes on, and sends it again only when the person asks", () => {
  const page = connected();
  for (const body of ["bad", "good"]) page.write(body);
  const effects = page.tell({ type: "refused", clientId: "bad", reason: "blocked" });
  expect(effects).toEqual(["keep bad", "send good"]);
  expect(page.pending).toEqual(["bad refused blocked", "good sending"]);
  page.settle("good");
  expect(sent(page.connect())).toEqual([]);
  expect(sent(page.tell({ type: "retried", clientId: "bad" }))).toEqual(["send bad"]);
  expect(page.pending).toEqual(["bad sending"]);
});

test("sends a text that the room was too busy for again after a while, before the later ones", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  expect(page.tell({ type: "held", clientId: "one" })).toEqual(["wait hold"]);
  expect(sent(page.write("three"))).toEqual([]);
  expect(page.tell({ type: "released" })).toEqual(["send one"]);
});

test("sends nothing before the first connection, and then everything in order", () => {
  const page = new Page();
  expect(page.write("one")).toEqual(["keep one", "wait one"]);
  page.write("two");
  expect(sent(page.connect())).toEqual(["send one"]);
});

test("posts one text after the other while it polls, however long the first one takes", () => {
  const page = polling();
  expect(sent([...page.write("one"), ...page.write("two"), ...page.poll()])).toEqual(["post one"]);
  // The acknowledgment comes before the end of the request.
  expect(page.settle("one")).toEqual(["forget one", "post two"]);
  expect(page.post("one", OK)).toEqual([]);
});

test("stops posting at a text that fails until the next poll, and goes on after one that is refused", () => {
  const page = polling();
  for (const body of ["one", "two"]) page.write(body);
  expect(page.post("one", failed(503))).toEqual([]);
  expect(page.pending).toEqual(["one failed server_error", "two sending"]);
  expect(sent(page.poll())).toEqual(["post one"]);
  expect(sent(page.post("one", failed(422, "too_long")))).toEqual(["post two"]);
  expect(page.pending).toEqual(["one refused too_long", "two sending"]);
});

test("posts nothing after a text whose message has not arrived here", () => {
  const page = polling();
  for (const body of ["one", "two"]) page.write(body);
  expect(page.post("one", OK)).toEqual([]);
  expect(sent(page.poll("one"))).toEqual(["post two"]);
});

test("leaves a text to the socket that has opened while it was posted", () => {
  const page = polling();
  for (const body of ["one", "two"]) page.write(body);
  expect(sent(page.connect())).toEqual(["send one"]);
  expect(page.post("one", failed(503))).toEqual([]);
  expect(page.pending).toEqual(["one sending", "two sending"]);
  expect(page.queue.inFlight).toBe("one");
});

test("says what a status means: not found, a timeout and a busy room refuse nothing", () => {
  const states = [0, 400, 403, 404, 408, 413, 422, 429, 500].map((status) => {
    const page = polling();
    page.write("one");
    page.post("one", failed(status, "why"));
    return [status, ...page.pending];
  });
  expect(states).toEqual([
    [0, "one failed no_connection"],
    [400, "one refused why"],
    [403, "one refused why"],
    [404, "one failed why"],
    [408, "one failed why"],
    [413, "one refused why"],
    [422, "one refused why"],
    [429, "one failed why"],
    [500, "one failed server_error"],
  ]);
});

test("holds a file until the texts before it are settled, and no text for a file", () => {
  const page = connected();
  page.write("one");
  expect(sent(page.choose("a.png"))).toEqual([]);
  expect(sent(page.settle("one"))).toEqual(["upload a.png"]);
  expect(sent(page.write("two"))).toEqual(["send two"]);
  expect(sent(page.choose("b.png"))).toEqual([]);
  page.tell({ type: "uploadEnded", clientId: "a.png", again: false });
  expect(sent(page.settle("two"))).toEqual(["upload b.png"]);
});

test("holds no file for a text that was refused or discarded", () => {
  const page = connected();
  page.write("bad");
  page.choose("a.png");
  expect(sent(page.tell({ type: "refused", clientId: "bad", reason: "blocked" }))).toEqual(["upload a.png"]);
  page.tell({ type: "uploadEnded", clientId: "a.png", again: false });
  page.write("late");
  page.choose("b.png");
  expect(sent(page.tell({ type: "discarded", clientId: "late" }))).toEqual(["upload b.png"]);
});

test("uploads one file after the other, each once, and again with the next connection", () => {
  const page = connected();
  for (const name of ["a.png", "b.png"]) page.choose(name);
  expect(page.queue.uploading).toBe("a.png");
  expect(sent(page.connect())).toEqual([]);
  page.tell({ type: "disconnected" }, { type: "uploaded", clientId: "a.png", result: failed(0) });
  expect(page.pending).toEqual(["a.png failed no_connection", "b.png sending"]);
  expect(sent(page.tell({ type: "uploadEnded", clientId: "a.png", again: false }))).toEqual(["upload b.png"]);
  page.tell({ type: "uploaded", clientId: "b.png", result: OK });
  page.settle("b.png");
  expect(sent(page.connect())).toEqual([]);
  expect(sent(page.tell({ type: "uploadEnded", clientId: "b.png", again: false }))).toEqual(["upload a.png"]);
});

test("uploads a file that the room was too busy for again, before those after it and from its start", () => {
  const page = connected();
  for (const name of ["a.png", "b.png"]) page.choose(name);
  page.tell({ type: "progressed", clientId: "a.png", progress: 40 });
  expect(page.queue.pending[0]?.progress).toBe(40);
  page.tell({ type: "uploaded", clientId: "a.png", result: failed(429) });
  expect([page.queue.pending[0]?.state, page.queue.pending[0]?.progress]).toEqual(["sending", undefined]);
  expect(sent(page.tell({ type: "uploadEnded", clientId: "a.png", again: true }))).toEqual(["upload a.png"]);
});

test("goes on with the files after one that this tab may not upload", () => {
  const page = connected();
  for (const name of ["a.png", "b.png"]) page.choose(name);
  page.tell({ type: "uploaded", clientId: "a.png", result: null });
  expect(page.pending).toEqual(["a.png failed", "b.png sending"]);
  expect(sent(page.tell({ type: "uploadEnded", clientId: "a.png", again: false }))).toEqual(["upload b.png"]);
});

test("aborts the upload of a discarded file, and starts the next one when it has ended", () => {
  const page = connected();
  for (const name of ["a.png", "b.png"]) page.choose(name);
  expect(page.tell({ type: "discarded", clientId: "a.png" })).toEqual(["discard a.png", "abortUpload"]);
  page.tell({ type: "uploaded", clientId: "a.png", result: failed(0) });
  expect(page.tell({ type: "uploadEnded", clientId: "a.png", again: false })).toEqual(["upload b.png"]);
});

test("says that a message is lost with the page, if the browser could not store it", () => {
  const page = connected();
  page.write("one");
  page.tell({ type: "unkept", clientId: "one" });
  expect(page.queue.pending[0]?.unkept).toBe(true);
});

test("sends no text once it is closed, fails nothing, and still forgets what the room has", () => {
  const page = connected();
  for (const body of ["one", "two"]) page.write(body);
  page.choose("a.png");
  page.tell({ type: "closed" });
  expect(page.post("one", failed(422))).toEqual([]);
  expect(page.tell({ type: "expired", clientId: "one" })).toEqual([]);
  expect(page.tell({ type: "restored", messages: [stored("three", 9)] })).toEqual([]);
  expect(page.pending).toEqual(["one sending", "two sending", "a.png sending"]);
  expect(page.settle("one")).toEqual(["forget one"]);
});
