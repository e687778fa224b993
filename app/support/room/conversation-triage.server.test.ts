import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Identity } from "#app/support/protocol/identity.ts";
import type { ConversationTriage, TriageHandover } from "./conversation-triage.server.ts";
import { RoomStore } from "./room-store.server.ts";

const NOW = 1_795_000_000_000;
const VISITOR: Identity = { side: "user", author: "s1", name: "Visitor" };
const [BO, CY] = [
  { id: "agent-1", name: "Bo" },
  { id: "agent-2", name: "Cy" },
];
const NO_CASE = {
  first_reply_at: null,
  agent_id: null,
  agent_name: null,
  closed_at: null,
  rating: null,
  rated_at: null,
};

test("assigns a conversation, and says whether it changed", () =>
  inRoom(({ triage }, { version, actions }) => {
    expect(triage.state).toEqual({ assignee: null, tags: [], blocked: false, snoozedUntil: 0 });
    expect(triage.assign(null, BO)).toBe(false);
    expect(version()).toBe(0);
    expect([triage.assign(CY, BO), triage.assign(CY, BO)]).toEqual([true, false]);
    expect([triage.state.assignee, version()]).toEqual([CY, 1]);
    expect([triage.assign(null, BO, { by: "leaving" }), triage.state.assignee, version()]).toEqual([true, null, 2]);
    expect(actions()).toEqual([
      [BO, "conversation.assign", { assignee: [null, "Cy"] }],
      [BO, "conversation.assign", { assignee: ["Cy", null], by: "leaving" }],
    ]);
  }));

test("keeps tags sorted, whatever their case, and at most 40", () =>
  inRoom(({ triage }, { version, actions }) => {
    expect([triage.setTag("vip", true, BO), triage.setTag("late", true, BO)]).toEqual([true, true]);
    expect([triage.setTag("vip", true, BO), triage.setTag("none", false, BO)]).toEqual([false, false]);
    expect([triage.state.tags, version()]).toEqual([["late", "vip"], 2]);
    expect([triage.setTag("VIP", true, BO), triage.state.tags]).toEqual([true, ["VIP", "late"]]);
    expect([triage.setTag("Late", false, BO), triage.state.tags, version()]).toEqual([true, ["VIP"], 4]);
    expect(actions().map(([, , detail]) => detail)).toEqual([
      { tags: ["", "vip"] },
      { tags: ["vip", "late, vip"] },
      { tags: ["late, vip", "VIP, late"] },
      { tags: ["VIP, late", "VIP"] },
    ]);
    for (let n = 2; n <= 40; n++) expect(triage.setTag(`tag-${n}`, true, BO)).toBe(true);
    expect(triage.setTag("tag-41", true, BO)).toBe(false);
    expect([triage.setTag("vip", true, BO), triage.setTag("vip", false, BO)]).toEqual([true, true]);
    expect(triage.state.tags).toHaveLength(39);
  }));

test("snoozes until a time, and wakes for an agent, a visitor's message and a close", () =>
  inRoom(({ triage }, { version, actions }) => {
    expect([triage.snooze(0, BO, NOW), triage.snooze(NOW, BO, NOW), version()]).toEqual([false, false, 0]);
    expect([triage.snooze(NOW + 1, BO, NOW), triage.state.snoozedUntil, version()]).toEqual([true, NOW + 1, 1]);
    expect([triage.snooze(NOW + 1, CY, NOW), triage.snooze(0, CY, NOW)]).toEqual([false, true]);
    expect([triage.state.snoozedUntil, version()]).toEqual([0, 2]);
    expect(actions()).toEqual([
      [BO, "conversation.snooze", { until: [0, NOW + 1] }],
      [CY, "conversation.wake", { until: [NOW + 1, 0] }],
    ]);
    triage.snooze(NOW + 9, BO, NOW);
    triage.recordMessage({ side: "admin", author: BO.id, name: BO.name }, at(NOW));
    expect(triage.state.snoozedUntil).toBe(NOW + 9);
    const before = version();
    triage.recordMessage(VISITOR, at(NOW));
    expect([triage.state.snoozedUntil, version() > before]).toEqual([0, true]);
    triage.snooze(NOW + 9, BO, NOW);
    triage.recordStatus("closed", BO, NOW);
    expect(triage.state.snoozedUntil).toBe(0);
  }));

test("blocks and unblocks a visitor", () =>
  inRoom(({ triage }, { version, actions }) => {
    expect([triage.setBlocked(false, BO), triage.isBlocked, version()]).toEqual([false, false, 0]);
    expect([triage.setBlocked(true, BO), triage.isBlocked, triage.state.blocked]).toEqual([true, true, true]);
    expect([triage.setBlocked(true, BO), triage.setBlocked(false, CY), triage.isBlocked]).toEqual([false, true, false]);
    expect(version()).toBe(2);
    expect(actions()).toEqual([
      [BO, "conversation.block", {}],
      [CY, "conversation.unblock", {}],
    ]);
  }));

test("stores a note once for each author and client id", () =>
  inRoom(({ triage }, { stored, actions }) => {
    const [first, other] = [
      { clientId: "c", body: "One" },
      { clientId: "d", body: "Two" },
    ];
    const note = { no: 1, author_id: "agent-1", author_name: "Bo", body: "One", mentions: [], created_at: NOW };
    expect([triage.addNote(BO, first, NOW), triage.addNote(BO, first, NOW)]).toEqual([note, null]);
    const since = stored();
    triage.addNote(CY, first, NOW);
    triage.addNote(BO, other, NOW + 1);
    expect(triage.notes().map(({ body, author_id }) => [body, author_id])).toEqual([
      ["One", "agent-1"],
      ["One", "agent-2"],
      ["Two", "agent-1"],
    ]);
    expect(triage.toStore(since).notes).toEqual(triage.notes().slice(1));
    const numbers = triage.notes().map(({ no }) => no);
    expect(actions().map(([, action, detail]) => [action, detail])).toEqual(
      numbers.map((no) => ["conversation.note", { note: no }]),
    );
  }));

test("opens a case with a question, counts the first reply, and assigns whoever replied", () =>
  inRoom((store, { stored, actions }) => {
    const { triage } = store;
    // Nobody has asked yet.
    triage.recordMessage({ side: "admin", author: CY.id, name: CY.name }, at(NOW));
    expect([cases(triage), triage.state.assignee]).toEqual([[], CY]);
    triage.assign(null, CY);
    for (const ms of [1, 2]) triage.recordMessage(VISITOR, at(NOW + ms));
    expect(cases(triage)).toEqual([{ no: 1, started_at: NOW + 1, ...NO_CASE }]);
    let since = stored();
    triage.recordMessage({ side: "admin", author: BO.id, name: BO.name }, at(NOW + 3));
    const replied = { first_reply_at: NOW + 3, agent_id: BO.id, agent_name: "Bo" };
    const first = { no: 1, started_at: NOW + 1, ...NO_CASE, ...replied };
    expect(triage.toStore(since).cases).toEqual([first]);
    since = stored();
    triage.recordMessage({ side: "admin", author: CY.id, name: CY.name }, at(NOW + 4));
    expect([triage.toStore(since).cases, triage.state.assignee]).toEqual([[], BO]);

    store.setStatus("closed", BO, NOW + 5);
    expect(triage.toStore(since).cases).toEqual([{ ...first, closed_at: NOW + 5 }]);
    triage.recordMessage(VISITOR, at(NOW + 6));
    store.setStatus("open", null, NOW + 6);
    store.setStatus("closed", CY, NOW + 7);
    since = stored();
    triage.recordRating("good", NOW + 8);
    const rated = { no: 2, started_at: NOW + 6, ...NO_CASE, closed_at: NOW + 7, rating: "good", rated_at: NOW + 8 };
    expect(triage.toStore(since).cases).toEqual([rated]);
    expect(cases(triage)).toEqual([{ ...first, closed_at: NOW + 5 }, rated]);
    store.setStatus("open", CY, NOW + 9);
    expect(cases(triage)).toEqual([{ ...first, closed_at: NOW + 5 }, rated]);
    expect(actions().map(([by, action]) => `${by.name}: ${action}`)).toEqual([
      "Cy: conversation.assign",
      "Cy: conversation.assign",
      "Bo: conversation.assign",
      "Bo: conversation.close",
      "Cy: conversation.close",
      "Cy: conversation.reopen",
    ]);
    expect(actions()[2]).toEqual([BO, "conversation.assign", { assignee: [null, "Bo"], by: "answering" }]);
  }));

test("lets one run email replies at a time, and never marks fewer as emailed", () =>
  inRoom(({ triage }, { version }) => {
    expect(triage.leaseEmail(NOW, NOW + 9)).toBe(true);
    expect([triage.leaseEmail(NOW + 8, NOW + 20), triage.leaseEmail(NOW + 9, NOW + 20)]).toEqual([false, true]);
    expect(version()).toBe(0);
    triage.markEmailed(5);
    expect([triage.emailedSeq, version(), triage.leaseEmail(NOW, NOW + 9)]).toEqual([5, 1, true]);
    triage.markEmailed(4);
    expect([triage.emailedSeq, triage.toStore(0).emailedSeq]).toEqual([5, 5]);
  }));

test("hands everything over, and adopts it once into a conversation without its own", async () => {
  const handed = await handedOver();
  expect(handed).toMatchObject({
    triage: { assignee: BO, tags: ["late", "vip"], blocked: true },
    origin: "https://a.example",
    notes: [{ no: 1, body: "One" }],
    cases: [{ no: 1, started_at: NOW, agent_id: BO.id, closed_at: NOW + 2, rating: "bad" }],
  });
  await inRoom(({ triage }, { stored, version }) => {
    triage.recordMessage(VISITOR, at(NOW - 5));
    triage.addNote(CY, { clientId: "s1:1", body: "Own" }, NOW - 5);
    const [since, before] = [stored(), version()];
    triage.adopt("s1", handed);
    expect([triage.state, triage.origin]).toEqual([handed.triage, "https://a.example"]);
    expect(version()).toBe(before + 1);
    const adopted = { notes: [{ ...handed.notes[0], no: 2 }], cases: [{ ...handed.cases[0], no: 2 }] };
    expect(triage.toStore(since)).toMatchObject(adopted);
    expect(triage.toStore(since).notes).toEqual(adopted.notes);
    expect(triage.toStore(since).cases).toEqual(adopted.cases);
    expect(triage.audit.pending().slice(1)).toEqual(handed.auditEntries);
    triage.adopt("s1", handed);
    expect([version(), triage.notes(), cases(triage)]).toEqual([before + 1, expect.any(Array), expect.any(Array)]);
    expect([triage.notes().length, cases(triage).length]).toEqual([2, 2]);
  });
});

test("keeps its own assignee and origin, and both conversations' tags and block", async () => {
  const handed = await handedOver();
  await inRoom(({ triage }) => {
    triage.setOrigin("https://own.example");
    triage.assign(CY, CY);
    for (const tag of ["vip", "new"]) triage.setTag(tag, true, CY);
    triage.adopt("s1", { ...handed, triage: { ...handed.triage, blocked: false } });
    expect(triage.state).toEqual({ assignee: CY, tags: ["late", "new", "vip"], blocked: false, snoozedUntil: 0 });
    expect(triage.origin).toBe("https://own.example");
    triage.setBlocked(true, CY);
    triage.adopt("s2", { ...handed, triage: { ...handed.triage, blocked: false }, auditEntries: [], notes: [] });
    expect(triage.isBlocked).toBe(true);
  });
});

test.for<[question: "open" | "closed", there: number, until: number]>([
  ["open", 0, 0],
  ["open", 5, 5],
  ["open", 20, 9],
  ["closed", 0, 9],
])("shows a snoozed conversation again for an %s question that is adopted", async ([question, there, until]) => {
  const [asked] = (await handedOver()).cases;
  if (!asked) throw new Error("missing");
  const one = { ...asked, closed_at: question === "open" ? null : NOW + 2 };
  const state = { assignee: null, tags: [], blocked: false, snoozedUntil: there && NOW + there };
  await inRoom(({ triage }, { version }) => {
    triage.snooze(NOW + 9, BO, NOW);
    const before = version();
    triage.adopt("s1", { notes: [], cases: [one], auditEntries: [], triage: state, origin: "" });
    expect([triage.state.snoozedUntil, version()]).toEqual([until && NOW + until, before + 1]);
  });
});

test("keeps the newest origin of a page", () =>
  inRoom(({ triage }) => {
    expect(triage.origin).toBe("");
    triage.setOrigin("https://a.example");
    triage.setOrigin("https://b.example");
    expect(triage.origin).toBe("https://b.example");
  }));

test("keeps audit entries until each is deleted", () =>
  inRoom(({ triage }) => {
    for (const tag of ["a", "b", "c"]) triage.setTag(tag, true, BO);
    const [first, second, third] = triage.audit.pending();
    if (!first || !second || !third) throw new Error("entries are missing");
    expect(new Set([first.key, second.key, third.key]).size).toBe(3);
    triage.audit.delete([first, third]);
    expect(triage.audit.pending()).toEqual([second]);
  }));

test("tells what is stored by its version", () =>
  inRoom(({ triage, session }, { version }) => {
    triage.addNote(BO, { clientId: "c", body: "One" }, NOW);
    const at = (session?.version ?? 0) + version();
    expect([triage.toStore(at - 1).notes.length, triage.toStore(at).notes.length]).toEqual([1, 0]);
  }));

type Tools = {
  /** Changes of the conversation since it started. */
  version: () => number;
  /** The version that D1 has after a write. */
  stored: () => number;
  actions: () => [by: { id: string; name: string }, action: string, detail: object][];
};

function inRoom(work: (store: RoomStore, tools: Tools) => void): Promise<void> {
  const room = env.SUPPORT_ROOM.getByName(crypto.randomUUID());
  return runInDurableObject(room, (_room, { storage }) => {
    const store = new RoomStore(storage.sql);
    store.start({ sessionId: "s1", userId: null, name: "Ada", email: null }, NOW);
    const stored = () => store.session?.version ?? 0;
    const first = stored();
    const actions: Tools["actions"] = () =>
      store.triage.audit.pending().map(({ actor, action, detail }) => [actor, action, detail]);
    work(store, { version: () => stored() - first, stored, actions });
  });
}

/** A conversation of everything that triage knows. */
async function handedOver(): Promise<TriageHandover> {
  const handed: TriageHandover[] = [];
  await inRoom((store) => {
    const { triage } = store;
    triage.setOrigin("https://a.example");
    triage.recordMessage(VISITOR, at(NOW));
    triage.recordMessage({ side: "admin", author: BO.id, name: BO.name }, at(NOW + 1));
    store.setStatus("closed", BO, NOW + 2);
    triage.recordRating("bad", NOW + 3);
    for (const tag of ["vip", "late"]) triage.setTag(tag, true, BO);
    triage.setBlocked(true, BO);
    triage.addNote(BO, { clientId: "c", body: "One" }, NOW);
    handed.push(triage.handOver());
  });
  const [first] = handed;
  if (!first) throw new Error("nothing handed over");
  return first;
}

function at(created_at: number) {
  return { seq: 1, client_id: "c", sender_type: "user", sender_name: "Ada", message: "m", created_at } as const;
}

function cases(triage: ConversationTriage) {
  return triage.toStore(0).cases;
}
