import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { MailMode } from "../../scripts/plan-mail.ts";
import { hang, SLOW_MS } from "./slow-and-hanging.ts";

/** An email as the API took it. `at`: simulated ms since the script's beginning. */
export type TakenEmail = { key: string; to: string; subject: string; content: string; at: number };

/** The email API, in Resend's format. It sends an email once per idempotency key. */
export type WorldMail = {
  url: string;
  taken: TakenEmail[];
  /** Keys that came with another content. */
  conflicts: string[];
  setClock(now: () => number): void;
  /** Fails in a way until a time. */
  fail(mode: MailMode, until: number): void;
  close(): Promise<void>;
};

export const MAIL_KEY = "world-mail";

export async function startWorldMail(): Promise<WorldMail> {
  const taken: TakenEmail[] = [];
  const conflicts: string[] = [];
  let now = () => 0;
  let trouble: { mode: MailMode; until: number } | null = null;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks).toString();
    const send = (status: number, body: object, headers: Record<string, string> = {}) =>
      void response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
    const mode = trouble && now() < trouble.until ? trouble.mode : null;
    if (mode === "busy")
      return send(429, { name: "rate_limit_exceeded", message: "Slow down" }, { "Retry-After": "1" });
    if (mode === "down") return send(503, { name: "service_unavailable", message: "Try again later" });
    if (mode === "hanging") return hang(response);
    if (mode === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    const key = String(request.headers["idempotency-key"] ?? "");
    const { to, subject } = JSON.parse(content) as { to: string[]; subject: string };
    const known = taken.find((email) => email.key === key);
    if (known && known.content !== content) conflicts.push(key);
    if (!known) taken.push({ key, to: to[0] ?? "", subject, content, at: now() });
    if (mode === "cut") return void request.socket.destroy();
    send(200, { id: key });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/emails`,
    taken,
    conflicts,
    setClock(clock) {
      now = clock;
    },
    fail(mode, until) {
      trouble = { mode, until };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
