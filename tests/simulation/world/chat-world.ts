import { type ChatEvent, TABS } from "../scripts/plan-chats.ts";
import type { Script } from "../scripts/script.ts";
import { HOUR } from "../scripts/simulated-durations.ts";
import type { Handlers } from "./actor.ts";
import { type SentFile, sendFile } from "./chat-file.ts";
import { type ChatPerson, chatPerson } from "./chat-person.ts";
import { visitor as newVisitor, type Person, signUpPerson } from "./people.ts";
import type { Site } from "./site.ts";

/** An agent's time between a log-in and its end, with a socket for each conversation. */
type AgentStay = { person: Person; sockets: Map<string, ChatPerson>; hasEnded: boolean; since: number };
export type Conversation = {
  room: string;
  visitor: ChatPerson;
  /** The visitor's email address. */
  email: string;
  transcripts: Transcript[];
  /** The visitor's other tabs. */
  tabs: ChatPerson[];
  agents: ChatPerson[];
  files: SentFile[];
  /** What agents did to it, and the product acknowledged. */
  snoozes: Span[];
  blocks: (Span & { isBlocked: boolean })[];
};
/** When something was asked for and when it was acknowledged: simulated ms since 1970. */
export type Span = { from: number; to: number };
/** An email that the product promised, in simulated ms since 1970, with the acknowledged texts that must be in it. */
export type Transcript = { at: number; texts: string[] };
export type ChatWorld = {
  conversations: Conversation[];
  visitors: Person[];
  /** Parts of others' conversations that visitors got. */
  overheard: object[];
  handlers: Handlers<ChatEvent>;
  rooms(): string[];
  /** Connects everybody who may still connect, until each message has an answer. */
  settle(): Promise<void>;
  close(): void;
};

/** The console's word for a snooze that only an answer ends. */
const UNTIL_ANSWER = Date.UTC(9999, 0);
/** A staff session lasts twelve hours at most. */
const SHIFT = 6 * HOUR;
const ANSWERED_WITHIN_MS = 15_000;
/** The promise: a socket ends within a second of its session. */
const ENDED_WITHIN_MS = 1000;
const POLL_MS = 20;

export async function openChats(site: Site, script: Script): Promise<ChatWorld> {
  const conversations: Conversation[] = [];
  const visitors: Person[] = [];
  const stays: (AgentStay | undefined)[] = [];
  for (let n = 0; n < script.visitors; n++) {
    const person = newVisitor(site);
    const email = `visitor.${person.canary}@world.example`;
    const response = await person.post("/support/session", { name: `Visitor ${person.canary}`, email });
    const { session } = (await response.json()) as { session: { session_id: string } };
    const room = session.session_id;
    const [main, ...tabs] = Array.from({ length: TABS }, () => chatPerson(site, room, person));
    visitors.push(person);
    const empty = { transcripts: [], agents: [], files: [], snoozes: [], blocks: [] };
    conversations.push({ room, visitor: main as ChatPerson, email, tabs, ...empty });
  }
  let logIns = 0;

  async function stayOf(agent: number): Promise<AgentStay> {
    const known = stays[agent];
    if (known && !known.hasEnded && site.now() - known.since < SHIFT) return known;
    if (known) known.hasEnded = true;
    // A new account for each stay: a demoted one stays a customer.
    const person = await signUpPerson(site, `agent-${agent}-${logIns++}`, { isStaff: true });
    await setRole(site, person, "agent");
    const stay: AgentStay = { person, sockets: new Map(), hasEnded: false, since: site.now() };
    stays[agent] = stay;
    return stay;
  }

  async function sideOf({
    visitor,
    agent,
    tab = 0,
  }: {
    visitor: number;
    agent: number | null;
    tab?: number;
  }): Promise<ChatPerson | null> {
    const conversation = conversations[visitor];
    if (!conversation) return null;
    if (agent === null) return tab === 0 ? conversation.visitor : (conversation.tabs[tab - 1] ?? null);
    const stay = await stayOf(agent).catch(() => null);
    // The product could not log anybody in at the time.
    if (!stay) return null;
    let side = stay.sockets.get(conversation.room);
    if (!side) {
      side = chatPerson(site, conversation.room, stay.person, "admin");
      stay.sockets.set(conversation.room, side);
      conversation.agents.push(side);
    }
    return side;
  }

  /** Posts an agent's action. Returns null unless the product acknowledged it. */
  async function act(visitor: number, agent: number, action: { action: string; [field: string]: unknown }) {
    const stay = await stayOf(agent).catch(() => null);
    const room = conversations[visitor]?.room;
    if (!stay || room === undefined) return null;
    const from = site.now();
    const response = await stay.person.post(`/admin/support/${room}/actions`, action).catch(() => null);
    site.count(`${action.action} ${response?.status ?? "lost"}`);
    return response?.ok ? { from, to: site.now() } : null;
  }

  const overheard: object[] = [];
  return {
    conversations,
    visitors,
    overheard,
    rooms: () => conversations.map(({ room }) => room),
    handlers: {
      async say(event) {
        const side = await sideOf(event);
        if (!side) return;
        await side.connect().catch(() => undefined);
        side.say(event.text);
        await site.during(untilTrue(() => side.unanswered() === 0 || !side.isOpen(), ANSWERED_WITHIN_MS));
      },
      async drop(event) {
        const side = await sideOf(event);
        side?.drop();
      },
      async die(event) {
        const side = await sideOf(event);
        side?.die(event.by);
      },
      async flood({ visitor, messages }) {
        const side = conversations[visitor]?.visitor;
        if (!side) return;
        await side.connect().catch(() => undefined);
        for (let n = 0; n < messages; n++) side.say(`flood ${n} ${visitors[visitor]?.canary}`);
        await site.during(untilTrue(() => side.unanswered() === 0 || !side.isOpen(), ANSWERED_WITHIN_MS));
        site.count("flood");
      },
      async file(event) {
        const conversation = conversations[event.visitor];
        const person = visitors[event.visitor];
        if (!conversation || !person) return;
        const { files = 1 } = event;
        let before = 0;
        for (let n = 0; n < files; n++) {
          const sent = await sendFile(site, person, conversation.room, event);
          if (!sent) continue;
          conversation.files.push({ ...sent, after: before });
          before = sent.seq;
          site.count("file sent");
        }
      },
      async read(event) {
        const side = await sideOf(event);
        if (!side) return;
        await side.connect().catch(() => undefined);
        side.markRead();
        site.count("read");
      },
      async snooze({ visitor, agent, forMs }) {
        const until = forMs === null ? UNTIL_ANSWER : site.now() + forMs;
        const span = await act(visitor, agent, { action: "snooze", until });
        if (span) conversations[visitor]?.snoozes.push(span);
      },
      async block({ visitor, agent, isBlocked }) {
        const span = await act(visitor, agent, { action: "block", blocked: isBlocked });
        if (span) conversations[visitor]?.blocks.push({ ...span, isBlocked });
      },
      async eavesdrop({ visitor, victim, by }) {
        const person = visitors[visitor];
        const target = conversations[victim];
        if (!person || !target) return;
        if (by === "socket") {
          const spy = chatPerson(site, target.room, person);
          await spy.connect().catch(() => undefined);
          if (spy.shown.size > 0 || spy.isOpen()) overheard.push({ by, shown: spy.shown.size });
          spy.close();
        } else {
          const file = target.files[0];
          if (by === "file" && !file) return;
          const path = by === "file" ? `files/${file?.id}` : "messages?since=0";
          const response = await person.get(`/support/sessions/${target.room}/${path}`).catch(() => null);
          if (response?.ok) overheard.push({ by, status: response.status });
        }
        site.count("eavesdropping tried");
      },
      async end_agent({ agent, by }) {
        const stay = stays[agent];
        if (!stay || stay.hasEnded) return;
        stay.hasEnded = true;
        const isEnded =
          by === "log_out" ? await logOut(stay.person) : await demote(site, stay.person, `admin-${logIns++}`);
        // Without an acknowledgement nothing is promised: the agent just stays away.
        if (!isEnded) return;
        const open = [...stay.sockets.values()];
        await site.during(untilTrue(() => open.every((side) => !side.isOpen()), ENDED_WITHIN_MS));
        for (const side of open) {
          side.markEnded();
          // Whoever is still connected tries to go on.
          if (side.isOpen()) side.say("written after the end");
        }
      },
      async transcript({ visitor, agent }) {
        const conversation = conversations[visitor];
        const person = visitors[visitor];
        if (!conversation || !person) return;
        const { room, visitor: main, tabs, transcripts } = conversation;
        if (!(await act(visitor, agent, { action: "status", status: "closed" }))) return;
        const sent = [main, ...tabs].flatMap((tab) => tab.sent);
        const texts = sent.filter(({ seq }) => seq !== null).map(({ text }) => text);
        const path = `/support/sessions/${room}/transcript`;
        const response = await person.post(path, { timeZone: "UTC" }).catch(() => null);
        // Somebody may have written again, which opens it.
        site.count(`transcript ${response?.status ?? "lost"}`);
        if (response?.status === 204) transcripts.push({ at: site.now(), texts });
      },
      async evict({ visitor }) {
        const room = conversations[visitor]?.room;
        // It fails for a room that is busy, or not in memory.
        if (room !== undefined) await site.evict("SupportRoom", room).catch(() => undefined);
      },
    },
    async settle() {
      const until = Date.now() + ANSWERED_WITHIN_MS;
      const living = () => [
        ...conversations.flatMap(({ visitor, tabs }) => [visitor, ...tabs]),
        ...stays.flatMap((stay) => (stay && !stay.hasEnded ? [...stay.sockets.values()] : [])),
      ];
      while (Date.now() < until) {
        await Promise.all(living().map((side) => side.connect().catch(() => undefined)));
        const isSettled = ({ unanswered, read }: ChatPerson) => unanswered() === 0 && read.isKnown;
        if (living().every(isSettled)) return;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    close() {
      for (const { visitor, tabs, agents } of conversations) {
        for (const side of [visitor, ...tabs, ...agents]) side.close();
      }
    },
  };
}

/** Returns whether the product acknowledged it. */
async function logOut(person: Person): Promise<boolean> {
  const page = await person.submit("/logout", {}).catch(() => null);
  return page?.status === 302;
}

/**
 * An admin, logged in a moment ago, makes the agent a customer. In a product without that form the role changes in the
 * database, as its command does. Returns whether it is acknowledged.
 */
async function demote(site: Site, { email }: Person, by: string): Promise<boolean> {
  const admin = await signUpPerson(site, by, { isStaff: true }).catch(() => null);
  if (!admin) return false;
  await setRole(site, admin, "admin");
  const [account] = await site.query<{ id: string }>("select id from users where email = ?", email);
  const once = crypto.randomUUID();
  const fields = { intent: "access", change: "role", role: "customer", reason: "The world asks for it", once };
  const page = await admin.submit(`/admin/customers/${account?.id}`, fields).catch(() => null);
  if (!page || page.status >= 500) return false;
  const [profile] = await site.query<{ role: string }>("select role from profiles where email = ?", email);
  if (profile?.role !== "customer") await site.query("update profiles set role = 'customer' where email = ?", email);
  return true;
}

async function setRole(site: Site, { email }: Person, role: "agent" | "admin"): Promise<void> {
  await site.query("update profiles set role = ? where email = ?", role, email);
}

async function untilTrue(condition: () => boolean, withinMs: number): Promise<void> {
  const until = Date.now() + withinMs;
  while (!condition() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
