import { connect, type Socket } from "node:net";

/** A request as its bytes go out. Header names and values are latin1 text. */
export type RawRequest = {
  method: string;
  /** The request target, as it is written into the first line. */
  target: string;
  headers: [string, string][];
  body: Buffer;
  /** `short`: announces more bytes than it sends, and then ends the connection's outgoing half. */
  framing: "none" | "length" | "chunked" | "short";
};

/** `ms`: until the whole response had arrived. */
export type RawResponse = { status: number; headers: [string, string][]; body: Buffer; ms: number };

export class BrokenConnection extends Error {
  override name = "BrokenConnection";
}
export class NoResponse extends Error {
  override name = "NoResponse";
}

const MISSING_BYTES = 10;

/** Sends one request over a connection of its own. Throws NoResponse after `timeoutMs`, BrokenConnection if it is reset. */
export function sendRaw(port: number, request: RawRequest, timeoutMs: number): Promise<RawResponse> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => end(new NoResponse(`no response in ${timeoutMs} ms`)), timeoutMs);
    const end = (outcome: RawResponse | Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const read = (isOver: boolean) => {
      const parsed = parseResponse(Buffer.concat(chunks, size), request.method, isOver);
      if (parsed) end({ ...parsed, ms: performance.now() - started });
      return parsed !== null;
    };
    socket.on("connect", () => write(socket, request));
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      read(false);
    });
    socket.on("end", () => {
      if (!read(true)) end(new BrokenConnection("closed without a whole response"));
    });
    socket.on("error", (error) => {
      // A server that refuses the rest of a body may have responded first.
      if (!read(true)) end(new BrokenConnection(error.message));
    });
  });
}

/** Returns the request as it is sent. */
export function requestBytes({ method, target, headers, body, framing }: RawRequest): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (framing === "length") lines.push(`Content-Length: ${body.length}`);
  if (framing === "short") lines.push(`Content-Length: ${body.length + MISSING_BYTES}`);
  if (framing === "chunked") lines.push("Transfer-Encoding: chunked");
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (framing === "none") return head;
  return Buffer.concat([head, framing === "chunked" ? chunked(body) : body]);
}

function write(socket: Socket, request: RawRequest): void {
  socket.write(requestBytes(request));
  if (request.framing === "short") socket.end();
}

function chunked(body: Buffer): Buffer {
  const middle = body.length >> 1;
  const pieces = [body.subarray(0, middle), body.subarray(middle)].filter((piece) => piece.length > 0);
  const parts = pieces.flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** Returns null while the response is incomplete. */
function parseResponse(bytes: Buffer, method: string, isOver: boolean): Omit<RawResponse, "ms"> | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(first.split(" ")[1]);
  const rest = bytes.subarray(end + 4);
  // 100 Continue precedes the response.
  if (status >= 100 && status < 200 && status !== 101) return parseResponse(rest, method, isOver);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const headerOf = (name: string) => headers.find(([known]) => known === name)?.[1];
  const hasBody = method !== "HEAD" && status !== 204 && status !== 304 && status !== 101;
  const body = hasBody
    ? readBody(rest, headerOf("transfer-encoding"), headerOf("content-length"), isOver)
    : Buffer.alloc(0);
  return body && { status, headers, body };
}

function readBody(rest: Buffer, encoding: string | undefined, length: string | undefined, isOver: boolean) {
  if (encoding === "chunked") return unchunk(rest);
  if (length === undefined) return isOver ? rest : null;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : null;
}

function unchunk(bytes: Buffer): Buffer | null {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    if (size === 0) return Buffer.concat(pieces);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    pieces.push(bytes.subarray(lineEnd + 2, next - 2));
    at = next;
  }
}
