import { vi } from "vitest";

/** Answers every request of the code under test, in place of the network, and keeps what was sent. */

export type Sent = { method: string; url: URL; headers: Headers; body: string };

export const ISSUER = "http://google.test";

/** Calls `answer` for each request. It may throw, as a connection that breaks does. Ends with `vi.restoreAllMocks()`. */
export function scriptedFetch(answer: (sent: Sent) => Response | Promise<Response>): Sent[] {
  const requests: Sent[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const { method, headers } = request;
    const sent = {
      method,
      url: new URL(request.url),
      headers,
      body: new TextDecoder().decode(await request.arrayBuffer()),
    };
    requests.push(sent);
    return answer(sent);
  });
  return requests;
}

/** Answers Google's discovery, and `answer` the other requests, which alone are returned. */
export function scriptedGoogle(
  answer: (sent: Sent) => Response | Promise<Response>,
  discovered: object | null = null,
): Sent[] {
  const others: Sent[] = [];
  scriptedFetch((sent) => {
    if (sent.url.pathname === "/.well-known/openid-configuration") {
      const issuer = sent.url.origin;
      const endpoints = {
        authorization_endpoint: `${issuer}/auth?hl=en`,
        token_endpoint: `${issuer}/token`,
        revocation_endpoint: `${issuer}/revoke`,
      };
      return Response.json({ issuer, ...(discovered ?? endpoints) });
    }
    others.push(sent);
    return answer(sent);
  });
  return others;
}

/** Settings of a client that is set up, with the scripted Google as its issuer. */
export const GOOGLE_CLIENT = {
  ENVIRONMENT: "local",
  GOOGLE_ISSUER: ISSUER,
  GOOGLE_API_BASE: ISSUER,
  GOOGLE_CLIENT_ID: "our-client",
  GOOGLE_CLIENT_SECRET: "our-secret",
} as const;
