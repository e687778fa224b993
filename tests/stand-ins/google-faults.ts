import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type GoogleEmulator, startGoogleEmulator } from "#tools/stand-ins/google-emulator.ts";

/**
 * A proxy between the worker and Google's emulator that injects faults. Each test has its own lane with its own emulator:
 * `GET /emulator/NAME` starts the emulator and returns {url}; `/lane/NAME` reaches it through the faults. `PUT /script/NAME`
 * sets the lane's faults, which apply in order to the requests that match; `GET /script/NAME` returns the requests
 * received, as "METHOD /path".
 */

/** A fault applies to the next `times` requests (default 1) whose "METHOD /path" contains `on`. */
export type Fault = { on: string; times?: number } & (
  | { kind: "status"; status: number; reason?: string; retryAfter?: string }
  /** Cuts the connection before the response or in the middle of it. */
  | { kind: "cut" }
  | { kind: "cut_response" }
  | { kind: "shuffle" }
  /** Fails every nth part of a batch. */
  | { kind: "parts"; every: number; status: number; reason?: string }
  /** Fails every part of a batch after the first `count`. */
  | { kind: "at_most"; count: number }
  /** Drops the first part of a batch. */
  | { kind: "lose_part" }
);

type Lane = { faults: Fault[]; seen: string[]; emulator: Promise<GoogleEmulator> };

export type FaultLayer = { url: string; close(): Promise<void> };

export async function startFaultLayer(client: {
  id: string;
  secret: string;
  redirectUris: string[];
}): Promise<FaultLayer> {
  const lanes = new Map<string, Lane>();
  const server = createServer(async (request, response) => {
    const [, kind, name = "", ...rest] = (request.url ?? "").split("/");
    const body = await bytesOf(request);
    const lane = lanes.get(name) ?? { faults: [], seen: [], emulator: startGoogleEmulator(client) };
    lanes.set(name, lane);
    const { url: target } = await lane.emulator;
    if (kind === "emulator") {
      response.end(JSON.stringify({ url: target }));
      return;
    }
    if (kind === "script") {
      if (request.method === "PUT") lane.faults = JSON.parse(body.toString()) as Fault[];
      response.end(JSON.stringify(lane.seen));
      return;
    }
    const path = `/${rest.join("/")}`;
    const line = `${request.method} ${path}`;
    lane.seen.push(line.split("?")[0] ?? "");
    const fault = nextFault(lane, line);
    if (fault?.kind === "cut") {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === "status") {
      response.writeHead(fault.status, {
        "Content-Type": "application/json",
        ...(fault.retryAfter && { "Retry-After": fault.retryAfter }),
      });
      response.end(errorBody(fault.status, fault.reason));
      return;
    }
    const headers = new Headers();
    for (const header of ["authorization", "content-type"]) {
      const value = request.headers[header];
      if (typeof value === "string") headers.set(header, value);
    }
    const upstream = await fetch(target + path, {
      method: request.method ?? "GET",
      headers,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const type = upstream.headers.get("content-type") ?? "";
    const text = applyFault(await upstream.text(), type, fault);
    response.writeHead(upstream.status, { "Content-Type": type, "Content-Length": Buffer.byteLength(text) });
    if (fault?.kind === "cut_response") {
      response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
      return;
    }
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const { emulator } of lanes.values()) await (await emulator).close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function nextFault(lane: Lane, line: string): Fault | undefined {
  const at = lane.faults.findIndex((fault) => line.includes(fault.on));
  const fault = lane.faults[at];
  if (!fault) return undefined;
  const left = (fault.times ?? 1) - 1;
  if (left > 0) lane.faults[at] = { ...fault, times: left };
  else lane.faults.splice(at, 1);
  return fault;
}

/** Returns the batch response with its parts changed by the fault. */
function applyFault(text: string, type: string, fault: Fault | undefined): string {
  const boundary = /boundary=(\S+)/.exec(type)?.[1];
  if (!fault || !boundary) return text;
  const parts = text.split(`--${boundary}`).slice(1, -1);
  const join = (kept: string[]) => `${kept.map((part) => `--${boundary}${part}`).join("")}--${boundary}--\r\n`;
  const failing = (part: string, status: number, reason?: string) => {
    const head = part.slice(0, part.indexOf("HTTP/1.1"));
    return `${head}HTTP/1.1 ${status} Fault\r\nContent-Type: application/json\r\n\r\n${errorBody(status, reason)}\r\n`;
  };
  switch (fault.kind) {
    case "shuffle":
      return join(parts.toReversed());
    case "lose_part":
      return join(parts.slice(1));
    case "parts":
      return join(parts.map((part, n) => (n % fault.every === 0 ? failing(part, fault.status, fault.reason) : part)));
    case "at_most":
      return join(parts.map((part, n) => (n < fault.count ? part : failing(part, 429, "rateLimitExceeded"))));
    default:
      return text;
  }
}

function errorBody(code: number, reason = "backendError"): string {
  return JSON.stringify({ error: { code, message: reason, errors: [{ reason, domain: "global" }] } });
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
