import { vi } from "vitest";

type Params = Record<string, string>;

/** Responds to the calls to providers in place of the sandbox. The result returns their parameters so far. */
export function providerReplies(reply: (params: Params) => Response | Promise<Response>): () => Params[] {
  const calls: Params[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const { key: _key, ...params } = Object.fromEntries(new URLSearchParams(init?.body as URLSearchParams));
    calls.push(params);
    return reply(params);
  });
  return () => calls;
}
