import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";
import { seal } from "#app/crypto/seal.server.ts";
import { providers } from "#app/db/schema.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { db } from "./customer.ts";

/** Creates a provider for one test that calls the sandbox, so that no test opens the breaker of another. */
export async function sandboxProvider(): Promise<number> {
  const { url, key } = inject("sandbox");
  const name = `Sandbox ${crypto.randomUUID()}`;
  const [created] = await db
    .insert(providers)
    .values({
      name,
      apiUrl: url,
      encryptedKey: await seal(env.ENCRYPTION_KEYS, providerKeyContext(name), key),
      createdAt: Date.now(),
    })
    .returning({ id: providers.id });
  if (!created) throw new Error("the provider was not stored");
  return created.id;
}

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
