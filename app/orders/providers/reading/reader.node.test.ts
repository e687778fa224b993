import { expect, test } from "vitest";
import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readAdd } from "./add-answer.ts";
import { readBalance } from "./balance-answer.ts";
import { readCancel } from "./cancel-answer.ts";
import { meaningOf } from "./error-texts.ts";
import { NOTHING_TAUGHT, type Reader, textKey, wordKey } from "./reader.ts";
import { readRefill } from "./refill-answer.ts";
import { responseOf } from "./response.ts";
import { readRefillStates, readStates } from "./states-answer.ts";

const READER: Reader = { convention: PANEL_API_V2, words: NOTHING_TAUGHT };
const NO_CONTEXT = { hadUnknownAttempt: false, inputs: [] };
const answer = (body: unknown) => responseOf(200, JSON.stringify(body), 1000);

test("takes words for one that differ in case, blanks, hyphens and underscores", () => {
  const spellings = ["In progress", "in_progress", "IN-PROGRESS", " Inprogress "];
  expect(new Set(spellings.map(wordKey))).toEqual(new Set(["inprogress"]));
  expect(wordKey("В работе")).toBe("вработе");
});

test("takes error texts for one that differ in links, numbers, ids and quoted words", () => {
  const texts = [
    "Link https://a.example/p/1 of order 5001 is taken",
    "link http://b.example/x?y of order 12 is taken!",
  ];
  expect(new Set(texts.map((text) => textKey(text)))).toEqual(new Set(["link # of order # is taken"]));
  expect(textKey('Word "likes" is wrong')).toBe(textKey("Word 'views' is wrong"));
  expect(textKey("a".repeat(5000)).length).toBeLessThanOrEqual(300);
});

test("leaves out of an error text what the order wrote, also where it is cut off or stands without quotes", () => {
  const key = (text: string, ...inputs: string[]) => textKey(text, inputs);
  const comments = ["Nice", "Nice pic, Anna!", "call me at my place tonight"];
  expect(key("Comment Nice pic, Anna! holds a moon", ...comments)).toBe("comment # holds a moon");
  expect(key("Comment NICE holds a moon", ...comments)).toBe("comment # holds a moon");
  expect(key("Comment call me at my pl… holds a moon", ...comments)).toBe("comment # holds a moon");
  expect(key("User anna.k-lee holds a moon", "anna.k-lee")).toBe("user # holds a moon");
  for (const quoted of ["a.example/p/anna", "@anna", "anna@mail.example", `https://a.example/${"anna-".repeat(40)}`]) {
    expect(key(`Target ${quoted} holds a moon`)).toBe("target # holds a moon");
  }
  expect(key("Targets 1, 22 and 3333 hold a moon")).toBe("targets # and # hold a moon");
  const words = { ...NOTHING_TAUGHT, errors: { "comment # holds a moon": "details" } } as const;
  const reader = { convention: PANEL_API_V2, words };
  expect(meaningOf("Comment so full of you holds a moon", reader, ["so full of you"])).toBe("details");
  expect(meaningOf("Comment so full of you holds a moon", reader)).toBeNull();
});

test("reads a taught word and text before the convention's own", () => {
  const words = {
    states: { [wordKey("On the way")]: "Processing", [wordKey("Completed")]: "Partial" },
    refillStates: { [wordKey("Topped up")]: "Completed" },
    errors: { [textKey("Code 17 for order 5")]: "funds", [textKey("Bad link")]: "busy" },
  } as const;
  const reader = { convention: PANEL_API_V2, words };
  const read = (status: string) => readStates(answer({ status, remains: 5 }), reader, ["7"], "one");
  expect(read("on-the-way")).toMatchObject({
    entries: new Map([["7", expect.objectContaining({ status: "Processing" })]]),
  });
  expect(read("Completed")).toMatchObject({
    entries: new Map([["7", expect.objectContaining({ status: "Partial" })]]),
  });
  expect(readRefillStates(answer([{ refill: 7, status: "topped_up" }]), reader, ["7"], "many")).toEqual({
    kind: "entries",
    entries: new Map([["7", { kind: "report", status: "Completed" }]]),
  });
  expect(meaningOf("code 17 for order 900", reader)).toBe("funds");
  expect(readAdd(answer({ error: "Bad link" }), reader, NO_CONTEXT)).toMatchObject({ kind: "deferred", cause: "busy" });
});

test("exposes an unknown word as it is written, so that it can be taught", () => {
  const read = readStates(answer({ "7": { status: "Awaiting moon" } }), READER, ["7"], "many");
  const entry = expect.objectContaining({ kind: "unreadable", why: "word", word: "Awaiting moon" });
  expect(read).toMatchObject({ entries: new Map([["7", entry]]) });
});

test("takes no word of a call for the state of an order", () => {
  const told = (body: unknown) => {
    const read = readStates(answer(body), READER, ["7"], "one");
    const entry = read.kind === "entries" ? read.entries.get("7") : undefined;
    return entry?.kind === "report" ? entry.status : (entry?.why ?? read.kind);
  };
  expect(told({ status: "success", order_status: "In progress", remains: 5 })).toBe("In progress");
  expect(told({ status: "Completed", state: "ok", remains: 0 })).toBe("Completed");
  expect(told({ status: "error", order_status: "Completed", remains: 0 })).toBe("shape");
  expect(told({ status: "Failed", remains: 5 })).toBe("Canceled");
  expect(["Failed", "error", "success"].map((status) => told({ status }))).toEqual(["shape", "shape", "shape"]);
});

test("reads that a cancellation happens already, and not that it can't", () => {
  const read = (error: string) => readCancel(answer({ error }), READER, "7").kind;
  for (const text of [
    "Cancel already requested",
    "Order was already canceled",
    "Cancellation request is already pending",
  ]) {
    expect(read(text), text).toBe("accepted");
  }
  for (const text of [
    "Order cannot be cancelled (already in progress)",
    "Order is completed or already canceled",
    "Order already canceled or completed",
    "Order can't be canceled: already completed",
  ]) {
    expect(read(text), text).toBe("rejected");
  }
});

test("takes a wait for a refill for a no to it, and a limit of calls for one to all", () => {
  const read = (error: string) => readRefill(answer({ refill: null, error }), READER).kind;
  expect(["Wait 24 hours", "Please wait 3 days", "Wait before the next refill"].map(read)).toEqual(
    Array(3).fill("rejected"),
  );
  expect(
    ["Too many requests, wait 1 hour", "Rate limit: 100 in 24 hours", "Maintenance for 2 hours"].map(read),
  ).toEqual(Array(3).fill("deferred"));
});

/** Another family of panels, made up: its calls, members, words and texts are this value, and nothing else. */
const HARBOR: Convention = {
  name: "Harbor",
  parameters: { key: "token", action: "do" },
  calls: {
    services: { action: "price-list" },
    balance: { action: "purse" },
    add: { action: "load" },
    status: { action: "where", one: "crate", many: "crates" },
    refill: { action: "reload", one: "crate" },
    refill_status: { action: "reloaded", one: "reload" },
    cancel: { action: "unload", one: "crate" },
  },
  fields: {},
  catalog: PANEL_API_V2.catalog,
  states: { atquay: "Pending", atsea: "In progress", landed: "Completed", sunk: "Canceled" },
  refillStates: { atsea: "In progress", landed: "Completed" },
  errors: { [textKey("No berth")]: "busy" },
  members: {
    order: ["crate", "crates"],
    id: ["no"],
    refill: ["reload"],
    cancel: ["unload"],
    status: ["place"],
    remains: ["left"],
    startCount: ["before"],
    charge: ["toll"],
    currency: ["coin"],
    subOrders: ["boxes"],
    parts: ["boxes"],
    balance: ["purse"],
    error: ["storm"],
    message: ["note"],
    success: ["wind"],
    wrapper: ["hold"],
  },
  marks: { success: ["fair"], failure: ["foul"], alsoStates: [] },
};

test("reads another family of panels by one value", () => {
  const reader = { convention: HARBOR, words: NOTHING_TAUGHT };
  expect(readAdd(answer({ wind: "fair", hold: { crate: "C-17" } }), reader, NO_CONTEXT)).toEqual({
    kind: "accepted",
    providerOrderId: "C-17",
  });
  expect(readAdd(answer({ order: 17 }), reader, NO_CONTEXT).kind).toBe("unknown");
  expect(readAdd(answer({ storm: "no berth" }), reader, NO_CONTEXT)).toMatchObject({ kind: "deferred", cause: "busy" });
  expect(readAdd(answer({ wind: "foul", note: "Bad link" }), reader, NO_CONTEXT)).toMatchObject({ kind: "rejected" });
  const body = [{ crate: "C-17", place: "at sea", left: "40", toll: "1.5", coin: "USD" }];
  const entry = expect.objectContaining({ status: "In progress", remains: 40, charge: 1_500_000, currency: "USD" });
  expect(readStates(answer(body), reader, ["C-17"], "many")).toMatchObject({ entries: new Map([["C-17", entry]]) });
  expect(readStates(answer({ storm: "crate is required" }), reader, ["C-17"], "many")).toMatchObject({
    kind: "ask_single",
    why: "parameter",
  });
  expect(readRefill(answer({ reload: 9 }), reader)).toMatchObject({ kind: "accepted", providerRefillId: "9" });
  expect(readCancel(answer({ "C-17": { unload: true } }), reader, "C-17")).toEqual({ kind: "accepted" });
  expect(readBalance(answer({ hold: { purse: "3.5", coin: "USD" } }), reader)).toEqual({
    balance: 3_500_000,
    currency: "USD",
  });
});

test("reads any JSON without an error, and nothing from what has none of the names", () => {
  const random = seeded(7);
  for (let n = 0; n < 3000; n++) {
    const response = answer(anyJson(random, 4));
    expect(readAdd(response, READER, NO_CONTEXT).kind).toBeTypeOf("string");
    expect(readRefill(response, READER).kind).toBeTypeOf("string");
    expect(readCancel(response, READER, "5001").kind).toBeTypeOf("string");
    readBalance(response, READER);
    for (const mode of ["one", "many"] as const) {
      for (const ids of [["5001"], ["5001", "5002"]]) {
        const states = readStates(response, READER, ids, mode);
        if (states.kind === "entries") expect([...states.entries.keys()]).toEqual(ids);
        readRefillStates(response, READER, ids, mode);
      }
    }
  }
});

const NAMES = [
  "order",
  "orders",
  "id",
  "status",
  "error",
  "message",
  "data",
  "5001",
  "5002",
  "cancel",
  "refill",
  "remains",
  "success",
  "__proto__",
  "constructor",
];
const VALUES = [
  0,
  1,
  -1,
  5001,
  "5001",
  "",
  "Completed",
  "success",
  "error",
  "Bad link",
  true,
  false,
  null,
  "constructor",
  1e300,
];

function anyJson(random: () => number, depth: number): unknown {
  const kind = depth === 0 ? 0 : Math.floor(random() * 4);
  const pick = <One>(from: readonly One[]) => from[Math.floor(random() * from.length)];
  if (kind < 2) return pick(VALUES);
  const size = Math.floor(random() * 4);
  if (kind === 2) return Array.from({ length: size }, () => anyJson(random, depth - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [pick(NAMES) ?? "", anyJson(random, depth - 1)]));
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
