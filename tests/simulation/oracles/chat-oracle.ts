import type { SimulatedProduct } from "../product/simulated-product.ts";
import type { ChatPerson } from "../world/chat-person.ts";
import type { ChatWorld, Conversation } from "../world/chat-world.ts";
import type { Violation } from "./violation.ts";

type StoredMessage = { session_id: string; seq: number; message: string };

/** Compares what everybody wrote and had acknowledged with what everybody sees and what is stored. */
export async function judgeChats(product: SimulatedProduct, { conversations }: ChatWorld): Promise<Violation[]> {
  const stored = await product.querySupport<StoredMessage>(
    "select session_id, seq, message from support_messages order by session_id, seq",
  );
  return conversations.flatMap((conversation) =>
    judgeConversation(
      conversation,
      stored.filter(({ session_id }) => session_id === conversation.room),
    ),
  );
}

function judgeConversation({ room, visitor, agents }: Conversation, stored: StoredMessage[]): Violation[] {
  const violations: Violation[] = [];
  const broken = (rule: string, world: unknown, product: unknown) =>
    violations.push({ rule, subject: room, world, product });
  const writers = [visitor, ...agents];
  const inD1 = new Map(stored.map(({ seq, message }) => [seq, message]));
  if (inD1.size !== stored.length) broken("a message is stored once", stored.length, inD1.size);
  for (const writer of writers) {
    for (const message of writer.sent) {
      if (message.seq === null) continue;
      const seen = [...visitor.shown.values()].flat().filter(({ client_id }) => client_id === message.clientId);
      if (seen.length !== 1 || seen[0]?.seq !== message.seq) {
        broken("an acknowledged message is shown once, where it was acknowledged", message, seen);
      }
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
  const unanswered = visitor.unanswered();
  if (unanswered > 0) broken("a visitor's message is answered", { unanswered }, null);
  const seqs = [...visitor.shown.keys()].sort((a, b) => a - b);
  if (!seqs.every((seq, index) => seq === index + 1)) broken("a visitor sees no gap", seqs, null);
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
