import { PING, PONG } from "#app/support/protocol/frames.ts";
import { BrokenConnection, NoResponse, type RawResponse } from "./raw-client.ts";

/** A text or binary frame. */
export type Frame = string | Buffer;

/**
 * Opens a socket, sends the frames and then a ping, and returns every frame received until its reply or the end of the
 * connection, as the body of a response with status 101. Returns one with status 400 if the upgrade was refused.
 */
export function sendFrames(
  url: string,
  headers: Record<string, string>,
  frames: Frame[],
  timeoutMs: number,
): Promise<RawResponse> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers } as never);
    const received: string[] = [];
    let isOpen = false;
    const timer = setTimeout(() => end(new NoResponse(`no pong in ${timeoutMs} ms`)), timeoutMs);
    const end = (error?: Error) => {
      clearTimeout(timer);
      socket.close();
      if (error) return reject(error);
      const body = Buffer.from(received.join("\n"));
      resolve({ status: isOpen ? 101 : 400, headers: [], body, ms: performance.now() - started });
    };
    socket.addEventListener("open", () => {
      isOpen = true;
      for (const frame of frames) socket.send(frame);
      socket.send(PING);
    });
    socket.addEventListener("message", ({ data }) => {
      if (data === PONG) end();
      else received.push(String(data));
    });
    // A room closes the socket of whoever breaks its rules. 1006: the connection broke without that.
    socket.addEventListener("close", ({ code }) => {
      if (isOpen && code === 1006) end(new BrokenConnection("the socket broke"));
      else end();
    });
    socket.addEventListener("error", () => {
      if (!isOpen) end();
    });
  });
}
