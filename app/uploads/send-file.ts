/** How one file goes to the server in parts. No part of it knows about pages; see transfers.ts. */

export type Sent = { id: string };
export type Progress = (bytes: number) => void;

/** The server said no, in words for the person: sending the same again would not help. */
export class Refused extends Error {}

const RETRY_MS = [1000, 2000, 5000, 10_000];
const PARTS = "/upload/parts";

type Begun = { id: string; partSize: number; received: number[] };

/**
 * Sends the file and answers its id. A part that fails is sent again, at once when the network is back, else after 1, 2,
 * 5, 10 s; what has arrived is not sent again. Throws Refused, or the signal's reason.
 */
export async function transfer(
  file: File,
  signal: AbortSignal,
  progress: Progress,
  waiting: (yes: boolean) => void,
): Promise<Sent> {
  const begun = await stubbornly(signal, waiting, () =>
    request<Begun>("POST", PARTS, {
      signal,
      body: JSON.stringify({ name: file.name, size: file.size, fingerprint: fingerprintOf(file) }),
    }),
  );
  const { id, partSize } = begun;
  const parts = Math.max(1, Math.ceil(file.size / partSize));
  const received = new Set(begun.received);
  for (let number = 1; number <= parts; number++) {
    const from = (number - 1) * partSize;
    const part = file.slice(from, Math.min(file.size, from + partSize));
    progress(from);
    if (received.has(number)) continue;
    await stubbornly(signal, waiting, () =>
      request("PUT", `${PARTS}/${id}?part=${number}`, {
        signal,
        body: part,
        progress: (bytes) => progress(from + bytes),
      }),
    );
  }
  progress(file.size);
  await stubbornly(signal, waiting, () => request("POST", `${PARTS}/${id}`, { signal }));
  return { id };
}

export async function giveUp(id: string): Promise<void> {
  await request("DELETE", `${PARTS}/${id}`, { signal: new AbortController().signal });
}

/** What the same file has when it is chosen again. */
export function fingerprintOf({ name, size, lastModified }: File): string {
  return `${name}:${size}:${lastModified}`.slice(0, 300);
}

async function stubbornly<T>(signal: AbortSignal, waiting: (yes: boolean) => void, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      const result = await work();
      waiting(false);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refused) throw error;
      waiting(true);
      await pause(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)] ?? 0, signal);
    }
  }
}

/** Ends early when the network comes back, or when it is not wanted any more. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const stop = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      reject(signal.reason);
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** XMLHttpRequest, because fetch does not tell how much has been sent. */
function request<T>(
  method: string,
  address: string,
  { signal, body, progress }: { signal: AbortSignal; body?: Blob | string; progress?: Progress },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    const stop = () => call.abort();
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      settle();
    };
    call.open(method, address);
    call.responseType = "json";
    if (typeof body === "string") call.setRequestHeader("Content-Type", "application/json");
    if (progress) call.upload.onprogress = ({ loaded }) => progress(loaded);
    call.onload = () =>
      end(() => {
        // Not JSON: the log-in page, to which somebody who is signed out is sent.
        if (call.status < 300 && call.response === null)
          reject(new Refused("You are signed out. Log in, then choose it again."));
        else if (call.status < 300) resolve(call.response as T);
        // A busy or failing server may do better next time; anything else was understood and refused.
        else if (call.status >= 500 || call.status === 429) reject(new Error(`HTTP ${call.status}`));
        else reject(new Refused((call.response as { error?: string } | null)?.error ?? "The server refused the file."));
      });
    call.onerror = () => end(() => reject(new Error("no connection")));
    call.onabort = () => end(() => reject(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) end(() => reject(signal.reason));
    else call.send(body);
  });
}
