import type { AddressInfo } from "node:net";
import { createServer } from "@emulators/core";
import { googlePlugin, seedFromConfig } from "@emulators/google";
import { createAdaptorServer } from "@hono/node-server";

const MAILBOX = "demo@gmail.example";
const MESSAGES = 250;
const HOUR_MS = 3_600_000;
const SENDERS = ["billing@hosting.example", "alerts@shop.example", "maria@studio.example", "no-reply@forum.example"];
const SUBJECTS = ["Your invoice is ready", "A new order came in", "Draft for Thursday", "Someone replied to you", ""];

export type GoogleEmulator = { url: string; close(): Promise<void> };

/** An independent emulator of Google's sign-in and Gmail API, on the loopback address only, with a seeded mailbox. */
export async function startGoogleEmulator(
  client: { id: string; secret: string; redirectUri: string },
  port = 0,
): Promise<GoogleEmulator> {
  let app: { fetch(request: Request): Response | Promise<Response> };
  const server = createAdaptorServer({ fetch: (request: Request) => app.fetch(request) });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // No known tokens: one that the emulator did not issue is refused, as Google would.
  const emulator = createServer(googlePlugin, { baseUrl: url, tokens: {} });
  seedFromConfig(emulator.store, url, {
    users: [{ email: MAILBOX, name: "Demo Mailbox" }],
    oauth_clients: [
      { client_id: client.id, client_secret: client.secret, name: "Growline", redirect_uris: [client.redirectUri] },
    ],
    messages: Array.from({ length: MESSAGES }, (_, n) => ({
      user_email: MAILBOX,
      from: SENDERS[n % SENDERS.length] ?? "",
      to: MAILBOX,
      subject: SUBJECTS[n % SUBJECTS.length] ?? "",
      body_text: `Message ${n + 1} of ${MESSAGES}.`,
      date: new Date(Date.now() - n * HOUR_MS).toISOString(),
      label_ids: ["INBOX"],
    })),
  });
  app = emulator.app;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
