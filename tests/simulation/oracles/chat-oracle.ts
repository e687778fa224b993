import type { SimulatedProduct } from "../product/simulated-product.ts";
import { SECOND } from "../scripts/simulated-durations.ts";
import type { SentFile } from "../world/chat-file.ts";
import type { ChatPerson } from "../world/chat-person.ts";
import type { ChatWorld, Conversation } from "../world/chat-world.ts";
import type { Person } from "../world/people.ts";
import type { Violation } from "./violation.ts";

type StoredSession = { session_id: string; user_read_seq: number; agent_read_seq: number; snoozed_until: number };
type StoredMessage = { session_id: string; seq: number; message: string; created_at: number };

/** The machine's clock and the simulated one are read one after the other. */
const CLOCK_SLACK = 2 * SECOND;

/** Compares what everybody wrote and had acknowledged with what everybody sees and what is stored. */
export async function judgeChats(product: SimulatedProduct, chats: ChatWorld): Promise<Violation[]> {
  const stored = await product.querySupport<StoredMessage>(
    "select session_id, seq, message, created_at from support_messages order by session_id, seq",
  );
  const sessions = await product.querySupport<StoredSession>(
    "select session_id, user_read_seq, agent_read_seq, snoozed_until from support_sessions",
  );
  const files = await Promise.all(
    chats.conversations.map(({ room, files }, visitor) => judgeFiles(chats.visitors[visitor], room, files)),
  );
  const overheard = chats.overheard.map((heard) => ({
    rule: "nobody hears another's conversation",
    subject: "eavesdropper",
    world: null,
    product: heard,
  }));
  const conversations = chats.conversations.flatMap((conversation) =>
    judgeConversation(
      conversation,
      stored.filter(({ session_id }) => session_id === conversation.room),
    ),
  );
  const states = chats.conversations.flatMap((conversation) =>
    judgeState(
      conversation,
      sessions.find(({ session_id }) => session_id === conversation.room),
    ),
  );
  return [...conversations, ...states, ...files.flat(), ...overheard];
}

function judgeConversation({ room, visitor, tabs, agents }: Conversation, stored: StoredMessage[]): Violation[] {
  const violations: Violation[] = [];
  const broken = (rule: string, world: unknown, product: unknown) =>
    violations.push({ rule, subject: room, world, product });
  const writers = [visitor, ...tabs, ...agents];
  const inD1 = new Map(stored.map(({ seq, message }) => [seq, message]));
  const timeOf = new Map(stored.map(({ seq, created_at }) => [seq, created_at]));
  if (stored.some(({ created_at }, n) => created_at < (stored[n - 1]?.created_at ?? 0))) {
    broken("messages' times follow their order", null, stored);
  }
  if (inD1.size !== stored.length) broken("a message is stored once", stored.length, inD1.size);
  for (const writer of writers) {
    for (const message of writer.sent) {
      if (message.seq === null) continue;
      const seen = [...visitor.shown.values()].flat().filter(({ client_id }) => client_id === message.clientId);
      if (seen.length !== 1 || seen[0]?.seq !== message.seq) {
        broken("an acknowledged message is shown once, where it was acknowledged", message, seen);
      }
      const times = [...seen.map(({ created_at }) => created_at), timeOf.get(message.seq) ?? Number.NaN];
      const isWithin = (time: number) => time >= message.from - CLOCK_SLACK && time <= message.to + CLOCK_SLACK;
      if (!times.every(isWithin)) broken("a message's time is the server's", message, times);
      if (inD1.get(message.seq) !== message.text) {
        broken("an acknowledged message is stored", message, inD1.get(message.seq) ?? null);
      }
    }
    judgeOrder(writer, broken);
    if (writer.framesAfterEnd.length > 0 || writer.acksAfterEnd.length > 0) {
      broken("an ended session or role acts no more", "the agent's session or role had ended for a second", {
        frames: writer.framesAfterEnd.slice(0, 3),
        acks: writer.acksAfterEnd,
      });
    }
  }
  for (const tab of [visitor, ...tabs]) {
    const unanswered = tab.unanswered();
    if (unanswered > 0) broken("a visitor's message is answered", { unanswered }, null);
    const seqs = [...tab.shown.keys()].sort((a, b) => a - b);
    if (!seqs.every((seq, index) => seq === index + 1)) broken("a visitor sees no gap", seqs, null);
    if (seqs.length !== visitor.shown.size) broken("every tab shows the same", visitor.shown.size, seqs.length);
    const refused = new Set(tab.sent.filter(({ isRefused }) => isRefused).map(({ clientId }) => clientId));
    const shownAnyway = [...visitor.shown.values()].flat().filter(({ client_id }) => refused.has(client_id));
    if (shownAnyway.length > 0) broken("a refused message is not shown", refused.size, shownAnyway);
  }
  return violations;
}

/** What is known beside the messages: what is read, snoozed and blocked. */
function judgeState(conversation: Conversation, stored: StoredSession | undefined): Violation[] {
  const { room, visitor, tabs, agents, snoozes, blocks } = conversation;
  const violations: Violation[] = [];
  const broken = (rule: string, world: unknown, product: unknown) =>
    violations.push({ rule, subject: room, world, product });
  if (!stored) {
    broken("a conversation is stored", room, null);
    return violations;
  }
  const sides = [
    { people: [visitor, ...tabs], inD1: stored.user_read_seq },
    { people: agents, inD1: stored.agent_read_seq },
  ];
  for (const { people, inD1 } of sides) {
    for (const { read } of people) {
      if (read.wentBack.length > 0) broken("a read mark never goes back", null, read.wentBack);
      if (read.isKnown && inD1 < read.mark) broken("a read mark is stored", read, stored);
    }
  }
  for (const { read } of [visitor, ...tabs]) if (!read.isKnown) broken("a visitor's read mark arrives", read, stored);
  const written = [visitor, ...tabs].flatMap(({ sent }) => sent).filter(({ seq }) => seq !== null);
  const lastSnooze = snoozes.at(-1);
  const answer = lastSnooze && written.find(({ from }) => from > lastSnooze.to + CLOCK_SLACK);
  if (answer && stored.snoozed_until > 0) broken("a visitor's message ends a snooze", { lastSnooze, answer }, stored);
  for (const [n, block] of blocks.entries()) {
    const next = blocks[n + 1];
    // An unblocking without an acknowledgement may have happened.
    if (!block.isBlocked || !next || next.isBlocked) continue;
    const heard = written.filter(({ from, to }) => from > block.to + CLOCK_SLACK && to < next.from - CLOCK_SLACK);
    if (heard.length > 0) broken("a blocked visitor writes nothing", { block, next }, heard);
  }
  return violations;
}

/** One person's messages have the order in which they were written, and a seq has one text. */
function judgeOrder(writer: ChatPerson, broken: (rule: string, world: unknown, product: unknown) => void): void {
  const seqs = writer.sent.flatMap(({ seq }) => (seq === null ? [] : [seq]));
  if (seqs.some((seq, index) => index > 0 && seq <= (seqs[index - 1] ?? 0))) {
    broken("messages keep their order", seqs, null);
  }
  for (const [seq, messages] of writer.shown) {
    if (messages.length > 1) broken("a message does not change", { seq }, messages);
  }
}

/** An acknowledged file is there for its visitor, unchanged. */
async function judgeFiles(person: Person | undefined, room: string, files: SentFile[]): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { seq, after } of files.filter(({ seq, after }) => seq <= after)) {
    violations.push({ rule: "files keep their order", subject: room, world: { after }, product: { seq } });
  }
  for (const { id, name, content } of files) {
    const response = await person?.get(`/support/sessions/${room}/files/${id}`);
    const isSame = response?.ok && Buffer.from(await response.arrayBuffer()).equals(content);
    if (!isSame) {
      const product = { id, status: response?.status };
      violations.push({ rule: "an acknowledged file is there", subject: name, world: content.length, product });
    }
  }
  return violations;
}
