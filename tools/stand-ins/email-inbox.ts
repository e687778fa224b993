import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { appendJsonLine, readJsonLines } from "#tools/run/json-lines.ts";
import { faultOf, respondWithFault } from "./email-faults.ts";

/**
 * Stands in for the email API in local development. POST /emails takes Resend's format and appends the email as a line to
 * `file`, once per Idempotency-Key; GET /emails lists the newest, for the page /debug/mail. GET /attempts?to=ADDRESS
 * returns how often an email to that address was posted. `email-faults.ts` says which addresses fail.
 */

const EMAILS_LISTED = 50;
const MAX_BYTES = 1024 * 1024;

export type EmailInbox = { url: string; close(): Promise<void> };

export async function startEmailInbox(options: { key: string; file: string }): Promise<EmailInbox> {
  const accepted = new Set<string>();
  const attempts = new Map<string, number>();
  const server = createServer((request, response) => {
    // The client may be killed while it sends. A rejection that nobody catches would end the process.
    receive(request, response).catch((error) => {
      console.error(`email inbox: ${request.method} ${request.url} failed: ${error}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const respond = (status: number, body: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${options.key}`) return respond(401, { message: "Wrong key" });
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in.invalid");
    if (pathname === "/attempts") return respond(200, attempts.get(searchParams.get("to") ?? "") ?? 0);
    if (pathname !== "/emails") return respond(404, { message: "Not found" });
    if (request.method === "GET") return respond(200, readEmails(options.file));
    let body = "";
    for await (const chunk of request) {
      body += chunk;
      if (body.length > MAX_BYTES) return respond(413, { message: "Too large" });
    }
    const email = JSON.parse(body) as { to: string[] };
    const [to = ""] = email.to;
    const attempt = (attempts.get(to) ?? 0) + 1;
    attempts.set(to, attempt);
    const key = request.headers["idempotency-key"];
    const accept = () => {
      if (typeof key === "string" && accepted.has(key)) return;
      appendJsonLine(options.file, { at: Date.now(), ...email });
      if (typeof key === "string") accepted.add(key);
    };
    const fault = faultOf(to);
    if (fault && respondWithFault(fault, attempt, response, accept)) return null;
    accept();
    return respond(200, { id: String(Date.now()) });
  }

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
  return readJsonLines(file).slice(-EMAILS_LISTED).reverse();
}
