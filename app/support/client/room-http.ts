import * as v from "valibot";
import { type Ack, type History, parseAck, parseAs, parseHistory, parseJsonAs } from "#app/support/protocol/frames.ts";
import type { Rating } from "#app/support/protocol/rating.ts";
import { roomPath } from "#app/support/protocol/room-paths.ts";
import { uploadFile } from "./file-upload-request.ts";

/** The HTTP requests of the chat. None of them throws. */

/**
 * `status`: 0 if there was no response. `value`: null unless the response was a success of the expected form. `error`: the
 * server's word for a refusal.
 */
export type HttpResult<T> = { status: number; value: T | null; error?: string | undefined };

const JSON_TYPE = { "Content-Type": "application/json" };
const refusal = v.object({ error: v.string() });
const team = v.object({ online: v.boolean(), backAt: v.nullable(v.number()) });

/** `backAt`: when business hours start again, in ms. Null while the team is online, and if it has no hours. */
export type Team = v.InferOutput<typeof team>;

/** `query`: as `parseHistoryQuery` reads it. */
export async function readHistory(sessionId: string, query: string): Promise<HttpResult<History>> {
  return request(`${roomPath(sessionId)}/messages?${query}`, {}, parseHistory);
}

export function postMessage(
  sessionId: string,
  { clientId, body }: { clientId: string; body: string },
): Promise<HttpResult<Ack>> {
  return request(`${roomPath(sessionId)}/messages`, json({ clientId, body }), parseAck);
}

export function postFile(
  sessionId: string,
  { clientId, file }: { clientId: string; file: File },
  watch: Parameters<typeof uploadFile>[2],
): Promise<HttpResult<Ack>> {
  const query = new URLSearchParams({ clientId, name: file.name });
  return attempt(async () => {
    const { status, body } = await uploadFile(`${roomPath(sessionId)}/files?${query}`, file, watch);
    return readResult(status, body, parseAck);
  });
}

export async function postRead(sessionId: string, seq: number): Promise<boolean> {
  return (await request(`${roomPath(sessionId)}/read`, json({ seq }), parseAck)).status === 204;
}

export async function postRating(sessionId: string, rating: Rating): Promise<boolean> {
  return (await request(`${roomPath(sessionId)}/rating`, json({ rating }), parseAck)).status === 204;
}

/** Resolves to the response status. */
export async function postEmail(sessionId: string, email: string): Promise<number> {
  return (await request(`${roomPath(sessionId)}/email`, json({ email }), parseAck)).status;
}

/** Resolves to the response status. */
export async function postTranscript(sessionId: string): Promise<number> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return (await request(`${roomPath(sessionId)}/transcript`, json({ timeZone }), parseAck)).status;
}

export async function readTeam(): Promise<Team> {
  const { value } = await request("/support/team", {}, (body) => parseAs(team, body));
  return value ?? { online: false, backAt: null };
}

function json(body: object): RequestInit {
  return { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) };
}

async function request<T>(
  path: string,
  init: RequestInit,
  parse: (value: unknown) => T | null,
): Promise<HttpResult<T>> {
  return attempt(async () => {
    const response = await fetch(path, init);
    return readResult(response.status, await response.text(), parse);
  });
}

async function attempt<T>(work: () => Promise<HttpResult<T>>): Promise<HttpResult<T>> {
  try {
    return await work();
  } catch {
    return { status: 0, value: null };
  }
}

function readResult<T>(status: number, body: string, parse: (value: unknown) => T | null): HttpResult<T> {
  if (status >= 200 && status < 300) return { status, value: body === "" ? null : parse(JSON.parse(body)) };
  return { status, value: null, error: parseJsonAs(refusal, body)?.error };
}
