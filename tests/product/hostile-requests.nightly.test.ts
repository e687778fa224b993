import { request } from "node:http";
import { expect } from "vitest";
import { sendRaw } from "#tests/fuzz/client/raw-client.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import type { LocalCopy } from "./local-copy.ts";
import { test } from "./shared-copy.ts";

const MIB = 1024 * 1024;
const PUT_TRIES = 10;
/** Four in ten failed while bodies were left unread. */
const UNREAD_TRIES = 20;

test("stops reading a chunked part of 40 MB, and one whose Content-Length is too long", async ({ copy }) => {
  const cookie = await logIn(copy);
  const headers = { Cookie: cookie, Origin: copy.url, "Content-Type": "application/json" };
  const body = JSON.stringify({ name: "a.csv", size: 5 * MIB });
  const started = await fetch(`${copy.url}/upload/parts`, { method: "POST", headers, body });
  const { id } = (await started.json()) as { id: string };
  const path = `/upload/parts/${id}?part=1`;
  const chunked = await put(copy.url + path, { Cookie: cookie, Origin: copy.url });
  // Some more than the part is on its way in the sockets' buffers.
  expect(chunked.status).toBe(413);
  expect(chunked.sent).toBeLessThan(30 * MIB);
  const long = await put(copy.url + path, { Cookie: cookie, Origin: copy.url, "Content-Length": String(40 * MIB) });
  expect(long.status).toBe(413);
  expect(long.sent).toBeLessThan(30 * MIB);
  const received = await fetch(`${copy.url}/upload/parts/${id}`, { headers: { Cookie: cookie } });
  expect(await received.json()).toEqual({ received: [] });
});

test("responds to a body that nobody reads without resetting the connection", async ({ copy }) => {
  const responses = await sendBodies(copy, "POST", "/docs/api");
  expect(responses).toEqual(Array(UNREAD_TRIES).fill(401));
});

test("ignores the body of a GET and of a HEAD", async ({ copy }) => {
  for (const method of ["GET", "HEAD"]) {
    expect(await sendBodies(copy, method, "/auth/login")).toEqual(Array(UNREAD_TRIES).fill(200));
  }
});

async function sendBodies(copy: LocalCopy, method: string, target: string): Promise<number[]> {
  const headers: [string, string][] = [["Host", "localhost"]];
  const body = Buffer.alloc(25_000, "a");
  const statuses: number[] = [];
  for (let sent = 0; sent < UNREAD_TRIES; sent++) {
    const request = { method, target, headers, body, framing: "length" } as const;
    statuses.push((await sendRaw(Number(new URL(copy.url).port), request, 30_000)).status);
  }
  return statuses;
}

async function logIn(copy: LocalCopy): Promise<string> {
  const { email, password } = copy.demo.customer;
  const body = new URLSearchParams({ email, password });
  const response = await fetch(`${copy.url}/auth/login`, { method: "POST", body, redirect: "manual" });
  return cookiesOf(response);
}

/**
 * Sends up to 40 MiB until the response arrives, and returns how much that was. Tries again if the connection broke
 * first: a client that still writes may lose a response that the server sent before it closed.
 */
async function put(url: string, headers: Record<string, string>): Promise<{ status: number; sent: number }> {
  for (let tries = 1; ; tries++) {
    try {
      return await putOnce(url, headers);
    } catch (error) {
      if (tries === PUT_TRIES) throw error;
    }
  }
}

function putOnce(url: string, headers: Record<string, string>): Promise<{ status: number; sent: number }> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let isOver = false;
    const outgoing = request(url, { method: "PUT", headers }, (response) => {
      isOver = true;
      response.resume();
      resolve({ status: response.statusCode ?? 0, sent });
      outgoing.destroy();
    });
    outgoing.on("error", (error) => {
      if (!isOver) reject(error);
    });
    const send = () => {
      while (!isOver && sent < 40 * MIB) {
        sent += 64 * 1024;
        if (!outgoing.write(Buffer.alloc(64 * 1024, "a"))) return outgoing.once("drain", send);
      }
      return outgoing.end();
    };
    send();
  });
}
