import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Stands in for Have I Been Pwned's range API in local development and tests, in its format:
 * https://haveibeenpwned.com/API/v3#PwnedPasswords. GET /requests lists the paths that were asked for. Below /failing it
 * refuses, below /endless it never ends, below /moved it redirects.
 */

/** Long enough to be accepted otherwise, and in no list of ours. */
export const BREACHED_PASSWORDS = ["correcthorsebatterystaple", "letmein-letmein-letmein", "MyDogHasFleas123"];
const PADDING_LINES = 800;

export type BreachedPasswordsStandIn = { url: string; close(): Promise<void> };

export async function startBreachedPasswords(): Promise<BreachedPasswordsStandIn> {
  const ranges = Map.groupBy(BREACHED_PASSWORDS.map(sha1), (digest) => digest.slice(0, 5));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/requests") return response.end(JSON.stringify(requests));
    requests.push(path);
    if (path.startsWith("/failing/")) return response.writeHead(503).end();
    if (path.startsWith("/moved/")) return response.writeHead(302, { Location: path.slice("/moved".length) }).end();
    if (path.startsWith("/endless/")) return response.writeHead(200).write("0:1\r\n");
    const prefix = /^\/range\/([0-9A-Fa-f]{5})$/.exec(path)?.[1]?.toUpperCase();
    if (prefix === undefined) return response.writeHead(400).end("The hash prefix was not in a valid format");
    const listed = (ranges.get(prefix) ?? []).map((digest, at) => `${digest.slice(5)}:${at + 3}`);
    const isPadded = request.headers["add-padding"] === "true";
    const padding = Array.from(
      { length: isPadded ? PADDING_LINES : 0 },
      (_, at) => `${sha1(`${prefix}${at}`).slice(5)}:0`,
    );
    response.writeHead(200, { "Content-Type": "text/plain" }).end([...listed, ...padding].toSorted().join("\r\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex").toUpperCase();
}
