import type { Person } from "./people.ts";
import { persist } from "./persist.ts";
import type { Site } from "./site.ts";

/** A file that was acknowledged. `after`: the seq of the one chosen before it, or 0. */
export type SentFile = { id: string; seq: number; after: number; name: string; content: Uint8Array };

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const TIMEOUT_MS = 20_000;

/** Sends a file, twice at once if asked, and again until it is acknowledged. Returns null if it was refused. */
export async function sendFile(
  site: Site,
  person: Person,
  room: string,
  { name, bytes, copies }: { name: string; bytes: number; copies: number },
): Promise<Omit<SentFile, "after"> | null> {
  const content = new Uint8Array(bytes);
  content.set(PNG);
  content.set(new TextEncoder().encode(person.canary), PNG.length);
  const clientId = crypto.randomUUID();
  const query = new URLSearchParams({ clientId, name });
  const send = () =>
    persist(site, async () => {
      const response = await person.upload(
        `/support/sessions/${room}/files?${query}`,
        content,
        AbortSignal.timeout(TIMEOUT_MS),
      );
      return response.status < 500 ? response.status : null;
    });
  const statuses = await Promise.all(Array.from({ length: copies }, send));
  if (!statuses.includes(200)) return null;
  const history = await persist(site, async () => {
    const response = await person.get(`/support/sessions/${room}/messages?since=0`);
    return response.ok ? await response.text() : null;
  });
  const { messages } = JSON.parse(history ?? '{"messages":[]}') as {
    messages: { seq: number; client_id: string; file?: { id: string } }[];
  };
  const message = messages.find(({ client_id }) => client_id === clientId);
  return message?.file ? { id: message.file.id, seq: message.seq, name, content } : null;
}
