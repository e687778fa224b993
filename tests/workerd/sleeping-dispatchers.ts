import { env } from "cloudflare:workers";

/** The bindings, but nothing wakes a webhook dispatcher: the test runs its rounds itself. */
export const withoutDispatchers = {
  ...env,
  WEBHOOK_DISPATCHER: { getByName: () => ({ wake: async () => {} }) },
} as unknown as Env;
