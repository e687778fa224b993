import * as v from "valibot";
import { type Ack, type History, parseAck, parseHistory, take } from "#app/support/protocol/frames.ts";
import type { Rating } from "#app/support/protocol/rating.ts";
import { roomPath } from "#app/support/protocol/room-paths.ts";

/** A room over HTTP, as a browser asks it. Nothing here throws: a failed request is an answer too. */

/** `status`: 0 when nobody answered. */
type Answer<T> = { status: number; value: T | null };

const JSON_TYPE = { "Content-Type": "application/json" };
const team = v.object({ online: v.boolean(), backAt: v.nullable(v.number()) });

/** `backAt`: when an absent team is back, in ms, if it keeps hours. */
export type Team = v.InferOutput<typeof team>;

export async function readHistory(sessionId: string, since: number): Promise<Answer<History>> {
  return ask(`${roomPath(sessionId)}/messages?since=${since}`, {}, parseHistory);
}

export function postMessage(
  sessionId: string,
  { clientId, body }: { clientId: string; body: string },
): Promise<Answer<Ack>> {
  return ask(`${roomPath(sessionId)}/messages`, json({ clientId, body }), parseAck);
}

export function postFile(
  sessionId: string,
  { clientId, file }: { clientId: string; file: File },
  signal: AbortSignal,
): Promise<Answer<Ack>> {
  const query = new URLSearchParams({ clientId, name: file.name });
  return ask(`${roomPath(sessionId)}/files?${query}`, { method: "POST", body: file, signal }, parseAck);
}

export async function postRead(sessionId: string, seq: number): Promise<boolean> {
  return (await ask(`${roomPath(sessionId)}/read`, json({ seq }), parseAck)).status === 204;
}

export async function postRating(sessionId: string, rating: Rating): Promise<boolean> {
  return (await ask(`${roomPath(sessionId)}/rating`, json({ rating }), parseAck)).status === 204;
}

/** Answers the status. */
export async function postTranscript(sessionId: string, email: string): Promise<number> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return (await ask(`${roomPath(sessionId)}/transcript`, json({ email, timeZone }), parseAck)).status;
}

export async function readTeam(): Promise<Team> {
  const { value } = await ask("/support/team", {}, (answer) => take(team, answer));
  return value ?? { online: false, backAt: null };
}

function json(body: object): RequestInit {
  return { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) };
}

async function ask<T>(path: string, init: RequestInit, parse: (value: unknown) => T | null): Promise<Answer<T>> {
  try {
    const response = await fetch(path, init);
    const hasBody = response.ok && response.status !== 204;
    return { status: response.status, value: hasBody ? parse(await response.json()) : null };
  } catch {
    return { status: 0, value: null };
  }
}
