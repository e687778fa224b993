import { beforeEach, expect, test } from "vitest";
import type { DownFrame, History, SupportMessage } from "#app/support/protocol/frames.ts";
import {
  changeQueue,
  close,
  duePoll,
  finishPoll,
  hideTyping,
  leave,
  loseSocket,
  markRead,
  newRoom,
  type Room,
  type RoomEffect,
  type RoomStep,
  receive,
  reportTyping,
  visit,
} from "./room-state.ts";

const SESSION = { session_id: "anon_1", user_name: "Ada", user_email: null, status: "open", updated_at: 1 } as const;

let room: Room;

beforeEach(() => {
  room = newRoom({ side: "user", name: "Guest" });
});

test("connects again when a message is missing, and while polling leaves it to the next poll", () => {
  take({ type: "ready", ...history(message(1)) });
  expect(take({ type: "message", message: message(3) })).toEqual([{ type: "reconnect" }]);
  expect(room.state.messages).toHaveLength(1);
  go(loseSocket(room, 2));
  go(finishPoll(room, { status: 200, value: history() }));
  expect(room.state.connection).toBe("polling");
  expect(take({ type: "message", message: message(3) })).toEqual([]);
});

test("reads a conversation anew that replaced its predecessor in the same room", () => {
  take({ type: "ready", ...history(message(1), message(2)) });
  const effects = take({ type: "ready", ...history(message(2)), epoch: "next" });
  expect(effects[0]).toEqual({ type: "reconnect" });
  expect(room.state.messages).toEqual([]);
});

test("shows an acknowledged text as a message by the name that the conversation knows", () => {
  take({ type: "ready", ...history() });
  write("c1");
  const effects = take({ type: "ack", clientId: "c1", seq: 1, created_at: 5 });
  expect(effects).toEqual([
    { type: "noteReply", clientId: "c1" },
    { type: "forget", clientId: "c1" },
  ]);
  expect(room.state).toMatchObject({ pending: [], messages: [{ seq: 1, message: "Text c1", sender_name: "Ada" }] });
  expect(take({ type: "ack", clientId: "c1", seq: 1, created_at: 5 })).toEqual([{ type: "noteReply", clientId: "c1" }]);
});

test("takes a frame that the room can't read for the text on its way, and holds one that comes too fast", () => {
  take({ type: "ready", ...history() });
  expect(take({ type: "error", code: "bad_frame", message: "" })).toEqual([]);
  for (const clientId of ["c1", "c2"]) write(clientId);
  take({ type: "error", code: "bad_frame", message: "" });
  expect(room.state.pending.map(({ state }) => state)).toEqual(["refused", "sending"]);
  take({ type: "error", code: "rate_limited", message: "", clientId: "c2" });
  expect(room.queue).toMatchObject({ isHeld: true, inFlight: null });
  expect(room.state.refusal).toBeNull();
});

test("reports the page and a read mark that the room doesn't have with each connection, before the unsent texts", () => {
  go(visit(room, { type: "page", path: "/", title: "Home" }));
  take({ type: "ready", ...history(message(1, "admin")) });
  go(loseSocket(room, 1));
  expect(go(markRead(room))).toEqual([]);
  expect(room.state.unread).toBe(0);
  write("c1");
  const sent = take({ type: "ready", ...history() }).flatMap((effect) => {
    if (effect.type === "sendFrame") return effect.frame.type;
    return effect.type === "send" ? "text" : [];
  });
  expect(sent).toEqual(["page", "read", "text"]);
});

test("sends a read mark once, over whichever connection there is", () => {
  take({ type: "ready", ...history(message(1, "admin")) });
  expect(go(markRead(room))).toEqual([{ type: "sendFrame", frame: { type: "read", seq: 1 } }]);
  expect(go(markRead(room))).toEqual([]);
  go(loseSocket(room, 2));
  go(finishPoll(room, { status: 200, value: { ...history(message(2, "admin")), readSeq: { user: 1, admin: 0 } } }));
  expect(go(markRead(room))).toEqual([{ type: "postRead", seq: 2 }]);
});

test("polls after two failed sockets until one opens, whatever comes late", () => {
  expect(go(loseSocket(room, 1))).toEqual([]);
  expect(go(loseSocket(room, 2))).toEqual([{ type: "poll" }]);
  expect(go(loseSocket(room, 3))).toEqual([]);
  expect(go(duePoll(room))).toEqual([{ type: "poll" }]);
  expect(go(finishPoll(room, { status: 503, value: null }))).toEqual([]);
  take({ type: "ready", ...history() });
  expect(go(duePoll(room))).toEqual([]);
  go(finishPoll(room, { status: 200, value: history(message(1)) }));
  expect(room.state).toMatchObject({ connection: "live", messages: [] });
});

test("is gone for good when a poll finds no conversation or the server ends the connection", () => {
  go(loseSocket(room, 2));
  expect(go(finishPoll(room, { status: 404, value: null }))).toEqual([{ type: "close" }]);
  expect(room.state).toMatchObject({ connection: "gone", movedTo: null });
  expect(go(duePoll(room))).toEqual([]);
  go(leave(room, { reason: "gone", movedTo: "user_1" }));
  expect(room.state.movedTo).toBe("user_1");
  go(leave(room, { reason: "signedOut" }));
  expect(room.state).toMatchObject({ connection: "signedOut", movedTo: null });
});

test("polls no more and sends nothing once it is closed", () => {
  go(loseSocket(room, 2));
  go(finishPoll(room, { status: 200, value: history() }));
  expect(go(close(room))).toEqual([{ type: "close" }]);
  expect(go(duePoll(room))).toEqual([]);
  go(finishPoll(room, { status: 200, value: history(message(1)) }));
  expect(room.state.messages).toEqual([]);
  write("c1");
  expect(room.queue.inFlight).toBeNull();
});

test("says that somebody types at most every three seconds, and only over a socket", () => {
  const typed = (now: number) => go(reportTyping(room, now)).length;
  expect(typed(10_000)).toBe(0);
  take({ type: "ready", ...history() });
  expect([10_000, 12_999, 13_000].map(typed)).toEqual([1, 0, 1]);
});

test("shows who types on the other side until they send or a while has passed, and never this side", () => {
  take({ type: "ready", ...history() });
  expect(take({ type: "typing", side: "user", name: "Ada" })).toEqual([]);
  expect(take({ type: "typing", side: "admin", name: "Bo" })).toEqual([{ type: "hideTypingLater" }]);
  expect(room.state.typing).toBe("Bo");
  take({ type: "message", message: message(1, "admin") });
  expect(room.state).toMatchObject({ typing: null, unread: 1 });
  take({ type: "typing", side: "admin", name: "Bo" });
  go(hideTyping(room));
  expect(room.state.typing).toBeNull();
});

test("shows why the room refuses this side until it is unblocked", () => {
  take({ type: "error", code: "blocked", message: "No." });
  take({ type: "session", session: { ...SESSION, blocked: true } });
  expect(room.state.refusal).toBe("No.");
  take({ type: "session", session: SESSION });
  expect(room.state.refusal).toBeNull();
});

/** Goes on with the room, and returns what the client has to do, without what it always does. */
function go({ room: next, effects }: RoomStep): RoomEffect[] {
  room = next;
  return effects.filter(({ type }) => type !== "restore" && type !== "abortUpload");
}

function take(frame: DownFrame): RoomEffect[] {
  return go(receive(room, frame));
}

function write(clientId: string): void {
  go(changeQueue(room, { type: "written", clientId, body: `Text ${clientId}`, now: 1 }));
}

function message(seq: number, sender_type: SupportMessage["sender_type"] = "user"): SupportMessage {
  return { seq, client_id: `m${seq}`, sender_type, sender_name: "", message: `${seq}`, created_at: seq };
}

function history(...messages: SupportMessage[]): History {
  const lastSeq = messages.at(-1)?.seq ?? 0;
  return { epoch: "e", session: SESSION, lastSeq, readSeq: { user: 0, admin: 0 }, messages };
}
