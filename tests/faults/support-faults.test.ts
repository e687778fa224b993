import { expect, test } from "vitest";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import type { RoomReport } from "./chat-side.ts";
import { faultsOf } from "./check-messages.ts";
import { runFaults } from "./support-faults.ts";

test("loses, duplicates or reorders no acknowledged message through a kill, dead connections and evictions", {
  timeout: 600_000,
}, async () => {
  const figures = await runFaults({
    rooms: 6,
    kills: 1,
    roundMs: 2500,
    everyMs: 400,
    settleMs: 240_000,
    refocus: true,
  });
  expect(figures.faults).toEqual([]);
  expect(figures.evicted).toBeGreaterThan(0);
  expect(figures.dropped).toBeGreaterThan(0);
  // The rest were acknowledged on connections that had died by then.
  expect(figures.acked).toBeGreaterThan(figures.sent * 0.8);
  expect(figures.stored).toBe(figures.sent + 6);
  expect(figures.sent).toBeGreaterThan(30);
});

const message = (seq: number, client_id: string, sender_type: SupportMessage["sender_type"]): SupportMessage => {
  return { seq, client_id, sender_type, sender_name: "", message: `said ${client_id}`, created_at: 1 };
};
const [v1, a1, v2] = [message(1, "v1", "user"), message(2, "a1", "admin"), message(3, "v2", "user")];
const all = [v1, a1, v2];

function reportOf(sent: string[], acks: SupportMessage[], shown = all): RoomReport {
  const acked = acks.map(({ client_id, seq }) => ({ clientId: client_id, seq }));
  return { sessionId: "room", sent, acks: acked, shown, unsent: 0, connection: "live" };
}
const visitor = (shown = all) => reportOf(["said v1", "said v2"], [v1, v2], shown);
const agent = (shown = all) => reportOf(["said a1"], [a1], shown);

test("reports a lost, a duplicated and a reordered message, in D1 and on each side", () => {
  expect(faultsOf(visitor(), agent(), all)).toEqual([]);
  expect(faultsOf(visitor(), agent(), [v1, a1])).not.toEqual([]);
  expect(faultsOf(visitor(), agent(), [...all, v2])).not.toEqual([]);
  expect(faultsOf(visitor(), agent(), [v1, { ...a1, seq: 3 }, { ...v2, seq: 2 }])).not.toEqual([]);
  expect(faultsOf(visitor(), agent([v1, a1]), all)).not.toEqual([]);
  const doubled = [...all, message(4, "v2", "user")];
  expect(faultsOf(visitor(doubled), agent(doubled), doubled)).not.toEqual([]);
  const swapped = [message(1, "v2", "user"), a1, message(3, "v1", "user")];
  expect(faultsOf(visitor(swapped), agent(swapped), swapped)).not.toEqual([]);
  expect(faultsOf({ ...visitor(), unsent: 1 }, agent(), all)).not.toEqual([]);
});
