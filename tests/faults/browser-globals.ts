import { setMaxListeners } from "node:events";
import { FetchingXhr } from "#tests/stand-ins/fetching-xhr.ts";

export type WireAck = { sessionId: string; clientId: string; seq: number };

export class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();
  get length(): number {
    return this.#items.size;
  }
  key(at: number): string | null {
    return [...this.#items.keys()][at] ?? null;
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
  clear(): void {
    this.#items.clear();
  }
}

/**
 * Installs the browser globals that the chat client needs, so that hundreds of clients run in one thread. `cookieOf` takes
 * a session id. `onAck` is called before the client receives the acknowledgement.
 */
export function installBrowser(options: {
  url: string;
  cookieOf(sessionId: string): string;
  onAck(ack: WireAck): void;
}): void {
  const headersFor = (url: string) => ({ Cookie: options.cookieOf(sessionIdIn(url)), Origin: options.url });
  const reportAck = (url: string, text: string) => {
    const { type, clientId, seq } = JSON.parse(text) as { type?: string; clientId?: string; seq?: number };
    if ((type === "ack" || type === undefined) && clientId !== undefined && seq !== undefined) {
      options.onAck({ sessionId: sessionIdIn(url), clientId, seq });
    }
  };

  class BrowserSocket extends WebSocket {
    constructor(url: string | URL) {
      // Node's WebSocket accepts headers, which the DOM type lacks.
      super(url, { headers: headersFor(String(url)) } as unknown as string[]);
      this.addEventListener("message", ({ data }) => {
        if (typeof data === "string" && data.startsWith("{")) reportAck(String(url), data);
      });
    }
  }

  async function browserFetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetchOnNode(options.url + path, {
      ...init,
      headers: { ...init.headers, ...headersFor(path) },
    });
    if (init.method === "POST" && response.ok) reportAck(path, await response.clone().text());
    return response;
  }

  const fetchOnNode = globalThis.fetch;
  const [window, document] = [new EventTarget(), new EventTarget()];
  setMaxListeners(0, window, document);
  const globals = {
    WebSocket: BrowserSocket,
    fetch: browserFetch,
    XMLHttpRequest: FetchingXhr,
    localStorage: new MemoryStorage(),
    location: { href: options.url },
    window,
    document: Object.assign(document, { visibilityState: "visible" }),
  };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

function sessionIdIn(url: string): string {
  return /\/sessions\/([\w-]+)\//.exec(url)?.[1] ?? "";
}
