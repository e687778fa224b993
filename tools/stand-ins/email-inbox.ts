import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Stands in for the email API in local development. POST /emails takes Resend's format and appends the email as a line to
 * `file`; GET /emails lists the newest, for the page /debug/mail.
 */

const EMAILS_LISTED = 50;
const MAX_BYTES = 1024 * 1024;

export type EmailInbox = { url: string; close(): Promise<void> };

export async function startEmailInbox(options: { key: string; file: string }): Promise<EmailInbox> {
  const server = createServer(async (request, response) => {
    const respond = (status: number, body: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${options.key}`) return respond(401, { message: "Wrong key" });
    if (request.url !== "/emails") return respond(404, { message: "Not found" });
    if (request.method === "GET") return respond(200, readEmails(options.file));
    let body = "";
    for await (const chunk of request) {
      body += chunk;
      if (body.length > MAX_BYTES) return respond(413, { message: "Too large" });
    }
    const at = Date.now();
    appendFileSync(options.file, `${JSON.stringify({ at, ...(JSON.parse(body) as object) })}\n`, { mode: 0o600 });
    return respond(200, { id: String(at) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/emails`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function readEmails(file: string): unknown[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines
    .slice(-EMAILS_LISTED)
    .reverse()
    .map((line) => JSON.parse(line) as unknown);
}
