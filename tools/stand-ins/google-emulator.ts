import type { AddressInfo } from "node:net";
import { createServer } from "@emulators/core";
import { googlePlugin, seedFromConfig } from "@emulators/google";
import { createAdaptorServer } from "@hono/node-server";
import { GMAIL_SCOPE, withGoogleGaps } from "./google-gaps.ts";
import { DEMO_MAILBOX, SECOND_MAILBOX, seededMessages } from "./google-mailboxes.ts";

/** `cut` ends the connection. */
type Handle = (request: Request, cut: () => void) => Promise<Response>;
export type GoogleEmulator = {
  url: string;
  /** Returns an access token of a mailbox's owner. */
  tokenOf(email: string): string;
  close(): Promise<void>;
};
/** `around` sees each request and may respond itself. */
export type GoogleOptions = {
  port?: number;
  mailboxes?: { email: string; name: string }[];
  messages?: ReturnType<typeof seededMessages>;
  around?: (handle: Handle) => Handle;
};

/** Starts an emulator of Google sign-in and the Gmail API on the loopback address. Without options it has two mailboxes. */
export async function startGoogleEmulator(
  client: { id: string; secret: string; redirectUris: string[] },
  options: GoogleOptions = {},
): Promise<GoogleEmulator> {
  let handle: Handle;
  const server = createAdaptorServer({
    fetch: (request: Request, { incoming }) => handle(request, () => incoming.socket.destroy()),
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Knows no tokens in advance, so it refuses those that it did not issue, as Google does.
  const emulator = createServer(googlePlugin, { baseUrl: url, tokens: {} });
  seedFromConfig(emulator.store, url, {
    users: options.mailboxes ?? [
      { email: DEMO_MAILBOX, name: "Demo Mailbox" },
      { email: SECOND_MAILBOX, name: "Second Mailbox" },
    ],
    oauth_clients: [
      { client_id: client.id, client_secret: client.secret, name: "Growline", redirect_uris: client.redirectUris },
    ],
    messages: options.messages ?? seededMessages(),
  });
  const controlled = withControls(withGoogleGaps(emulator, client.redirectUris));
  handle = options.around?.(controlled) ?? controlled;
  return {
    url,
    tokenOf(email) {
      const token = `owner_${crypto.randomUUID()}`;
      emulator.tokenMap.set(token, { login: email, id: 0, scopes: [GMAIL_SCOPE] });
      return token;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

/** For benchmarks: `GET /emulator/requests` counts requests; `POST /emulator/latency?ms=` delays every response. */
function withControls(handle: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  let requests = 0;
  let latencyMs = 0;
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/emulator/requests") return Response.json({ requests });
    if (pathname === "/emulator/latency" && request.method === "POST") {
      latencyMs = Number(searchParams.get("ms"));
      return Response.json({ latencyMs });
    }
    requests++;
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    return handle(request);
  };
}
