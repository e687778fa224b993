import type { Agent } from "./console-frames.ts";

/** A piece of a note. `agent`: whom it mentions, or null for plain text. */
export type NotePart = { text: string; agent: Agent | null };

/** Splits a note at the `@name` of each of these agents. Where one name begins with another, the longer one counts. */
export function noteParts(body: string, agents: Agent[]): NotePart[] {
  const byLength = agents.filter(({ name }) => name !== "").sort((one, other) => other.name.length - one.name.length);
  const parts: NotePart[] = [];
  let end = 0;
  for (let at = body.indexOf("@"); at >= 0; at = body.indexOf("@", Math.max(at + 1, end))) {
    // An email address has a letter before it.
    if (/[\p{L}\p{N}_.+-]$/u.test(body.slice(Math.max(0, at - 2), at))) continue;
    const agent = byLength.find(({ name }) => startsWithName(body.slice(at + 1, at + 2 + name.length), name));
    if (!agent) continue;
    if (at > end) parts.push({ text: body.slice(end, at), agent: null });
    end = at + 1 + agent.name.length;
    parts.push({ text: body.slice(at, end), agent });
  }
  if (end < body.length) parts.push({ text: body.slice(end), agent: null });
  return parts;
}

/** Returns the agents whom a note mentions. Namesakes are all meant. */
export function mentionedAgents(body: string, agents: Agent[]): Agent[] {
  const names = new Set(noteParts(body, agents).flatMap(({ agent }) => agent?.name.toLowerCase() ?? []));
  return agents.filter(({ name }) => names.has(name.toLowerCase()));
}

/** `text` may have one more unit, which must not go on with the word. */
function startsWithName(text: string, name: string): boolean {
  return text.toLowerCase().startsWith(name.toLowerCase()) && !/^[\p{L}\p{N}_]/u.test(text.slice(name.length));
}

/** Returns the unfinished mention before the caret: where its `@` is and what follows, or null. */
export function mentionBefore(text: string, caret: number): { from: number; typed: string } | null {
  const found = /(?:^|[\s(])@([^\s@]*(?: [^\s@]*)?)$/.exec(text.slice(0, caret));
  const typed = found?.[1];
  return typed === undefined ? null : { from: caret - typed.length - 1, typed };
}

/** Returns the agents whose name has a word that starts with what was typed, those whose name starts with it first. */
export function matchAgents(typed: string, agents: Agent[]): Agent[] {
  const start = typed.toLowerCase();
  const byName = agents.filter(({ name }) => name.toLowerCase().startsWith(start));
  const byWord = agents.filter(
    (agent) => !byName.includes(agent) && ` ${agent.name.toLowerCase()}`.includes(` ${start}`),
  );
  return [...byName, ...byWord];
}
