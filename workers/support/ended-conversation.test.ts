import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { UpFrame } from "#app/support/protocol/frames.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { newVisitor, openConnection, roomOf } from "#tests/workerd/support-visitor.ts";
import type { SupportRoom } from "./support-room.ts";

/** A conversation that was handed over, or whose deletion waits for D1, keeps its rows. Nothing may be added to them. */

const AGENT = { side: "admin", author: "agent-1", name: "Bo" } as const;
const LATE: UpFrame[] = [
  { type: "send", clientId: "late", body: "too late" },
  { type: "read", seq: 2 },
  { type: "typing" },
  { type: "page", path: "/late", title: "Late" },
];

afterEach(() => void vi.restoreAllMocks());

const ENDS: [how: string, end: (room: SupportRoom, sessionId: string) => Promise<unknown>][] = [
  ["was handed over", async (room) => room.handOver(userSessionId(crypto.randomUUID()))],
  ["is being deleted", (room, sessionId) => room.deleteConversation(sessionId)],
];

for (const [how, end] of ENDS) {
  test(`stores and confirms no frame that arrives after the conversation ${how}`, async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { sessionId, cookie } = await newVisitor();
    const connection = await openConnection(sessionId, cookie);
    connection.sendMessage("a", "in time");
    await connection.next("ack");
    await withoutTable(env.DB_SUPPORT, "support_sessions", () =>
      runInDurableObject(roomOf(sessionId), async (room: SupportRoom, state) => {
        const [socket] = state.getWebSockets();
        if (!socket) throw new Error("no socket");
        await end(room, sessionId);
        const rows = () => ["session", "messages", "triage"].map((table) => dump(state, table));
        const before = rows();
        const sent = vi.spyOn(socket, "send");
        for (const frame of LATE) await room.webSocketMessage(socket, JSON.stringify(frame));
        expect(room.sendMessage(AGENT, { clientId: "b", body: "late too" })).toEqual({ ok: false, reason: "gone" });
        expect(await room.applyAction({ id: "agent-1", name: "Bo" }, { action: "status", status: "closed" })).toBe(
          false,
        );
        expect(room.rate("good")).toBe(false);
        expect(room.open({ sessionId, userId: null, name: "Eve", email: null })).toBeNull();
        expect(room.session("new@address.example")).toBeNull();
        expect(room.read(0)).toBeNull();
        expect(rows()).toEqual(before);
        expect(sent).not.toHaveBeenCalled();
      }),
    );
  });
}

function dump({ storage }: DurableObjectState, table: string): unknown[] {
  return [...storage.sql.exec(`SELECT * FROM ${table}`)];
}
