import type { AddressInfo } from "node:net";
import { createServer } from "@emulators/core";
import { googlePlugin, seedFromConfig } from "@emulators/google";
import { createAdaptorServer } from "@hono/node-server";
import { withGoogleGaps } from "./google-gaps.ts";
import { DEMO_MAILBOX, SECOND_MAILBOX, seededMessages } from "./google-mailboxes.ts";

export type GoogleEmulator = { url: string; close(): Promise<void> };

/** An independent emulator of Google's sign-in and Gmail API, on the loopback address only, with two seeded mailboxes. */
export async function startGoogleEmulator(
  client: { id: string; secret: string; redirectUris: string[] },
  options: { port?: number } = {},
): Promise<GoogleEmulator> {
  let answer: (request: Request) => Promise<Response>;
  const server = createAdaptorServer({ fetch: (request: Request) => answer(request) });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // No known tokens: one that the emulator did not issue is refused, as Google would.
  const emulator = createServer(googlePlugin, { baseUrl: url, tokens: {} });
  seedFromConfig(emulator.store, url, {
    users: [
      { email: DEMO_MAILBOX, name: "Demo Mailbox" },
      { email: SECOND_MAILBOX, name: "Second Mailbox" },
    ],
    oauth_clients: [
      { client_id: client.id, client_secret: client.secret, name: "Growline", redirect_uris: client.redirectUris },
    ],
    messages: seededMessages(),
  });
  answer = withGoogleGaps(emulator, client.redirectUris);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
