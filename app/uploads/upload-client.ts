/** Sends one file to the server in parts. upload-queue.ts connects it to the page. */

export type Sent = { id: string };
export type Progress = (bytes: number) => void;

/** A refusal by the server, with a text for the user. Sending the same again would not help. */
export class Refused extends Error {}

const RETRY_MS = [1000, 2000, 5000, 10_000];
const PARTS = "/upload/parts";

type Started = { id: string; partSize: number; received: number[] };

/**
 * Sends a file and returns its id. Retries a part that failed after 1, 2, 5, 10 s, or as soon as the network is back;
 * skips parts that have arrived. Throws Refused, or the signal's reason.
 */
export async function uploadFile(
  file: File,
  signal: AbortSignal,
  progress: Progress,
  waiting: (yes: boolean) => void,
): Promise<Sent> {
  const started = await withRetries(signal, waiting, () =>
    request<Started>("POST", PARTS, {
      signal,
      body: JSON.stringify({ name: file.name, size: file.size, fingerprint: fingerprintOf(file) }),
    }),
  );
  const { id, partSize } = started;
  const parts = Math.max(1, Math.ceil(file.size / partSize));
  const received = new Set(started.received);
  for (let number = 1; number <= parts; number++) {
    const from = (number - 1) * partSize;
    const part = file.slice(from, Math.min(file.size, from + partSize));
    progress(from);
    if (received.has(number)) continue;
    await withRetries(signal, waiting, () =>
      request("PUT", `${PARTS}/${id}?part=${number}`, {
        signal,
        body: part,
        progress: (bytes) => progress(from + bytes),
      }),
    );
  }
  progress(file.size);
  await withRetries(signal, waiting, () => request("POST", `${PARTS}/${id}`, { signal }));
  return { id };
}

/** Returns a text that is the same when the same file is chosen again. */
export function fingerprintOf({ name, size, lastModified }: File): string {
  return `${name}:${size}:${lastModified}`.slice(0, 300);
}

async function withRetries<T>(
  signal: AbortSignal,
  waiting: (yes: boolean) => void,
  work: () => Promise<T>,
): Promise<T> {
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

/** Waits. Ends early when the network is back, and throws when the signal aborts. */
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

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
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
        // Not JSON: signed-out requests are redirected to the login page.
        if (call.status < 300 && call.response === null)
          reject(new Refused("You're logged out. Log in and choose the file again."));
        else if (call.status < 300) resolve(call.response as T);
        // Worth a retry: the server is busy or failing. Any other status is a refusal.
        else if (call.status >= 500 || call.status === 429) reject(new Error(`HTTP ${call.status}`));
        else
          reject(new Refused((call.response as { error?: string } | null)?.error ?? "The server rejected the file."));
      });
    call.onerror = () => end(() => reject(new Error("no connection")));
    call.onabort = () => end(() => reject(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) end(() => reject(signal.reason));
    else call.send(body);
  });
}
