import { env } from "cloudflare:workers";
import { inject } from "vitest";
import { seal } from "#app/crypto/seal.server.ts";
import { providers } from "#app/db/schema.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-calls.server.ts";
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
