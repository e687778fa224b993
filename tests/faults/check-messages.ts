import type { RoomReport } from "./chat-side.ts";

export type StoredMessage = { seq: number; message: string };

/**
 * Returns the faults of one room as sentences. Every acknowledged message must be shown once on both sides and stored
 * once in D1, with the acknowledged seq, and each side's messages must be in the order sent.
 */
export function faultsOf(visitor: RoomReport, agent: RoomReport, stored: StoredMessage[]): string[] {
  const faults: string[] = [];
  const inD1 = new Map(stored.map(({ seq, message }) => [seq, message]));
  if (inD1.size !== stored.length) faults.push("D1 has a duplicate seq");
  for (const [name, report, side] of [
    ["the visitor", visitor, "user"],
    ["the agent", agent, "admin"],
  ] as const) {
    const other = report === visitor ? agent : visitor;
    const own = report.shown.filter(({ sender_type }) => sender_type === side);
    for (const { clientId, seq } of report.acks) {
      const places = [report, other].map(({ shown }) => shown.filter((message) => message.client_id === clientId));
      if (places.some((found) => found.length !== 1 || found[0]?.seq !== seq)) {
        faults.push(`${name}'s ${clientId}, acknowledged as ${seq}, is not shown once on both sides`);
      }
      if (inD1.get(seq) !== places[0]?.[0]?.message) faults.push(`D1 does not have ${name}'s ${seq} as sent`);
    }
    if (report.unsent > 0) faults.push(`${name} still has ${report.unsent} unsent`);
    if (
      !isSame(
        own.map(({ message }) => message),
        report.sent,
      )
    )
      faults.push(`${name}'s messages differ from those sent`);
    if (!report.shown.every(({ seq }, at) => seq === at + 1)) faults.push(`${name} has a gap`);
  }
  if (
    !isSame(
      visitor.shown.map(({ client_id }) => client_id),
      agent.shown.map(({ client_id }) => client_id),
    )
  ) {
    faults.push("the two sides show different messages");
  }
  const inOrder = stored.toSorted((one, other) => one.seq - other.seq).map(({ message }) => message);
  if (
    !isSame(
      inOrder,
      visitor.shown.map(({ message }) => message),
    )
  )
    faults.push("D1 differs from what the visitor sees");
  return faults.map((fault) => `${visitor.sessionId}: ${fault}`);
}

function isSame(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
