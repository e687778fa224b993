import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { cappedFetch } from "./capped-fetch.ts";

test("stops reading a response that is longer than its cap", async () => {
  let sent = 0;
  const server = createServer((_, response) => {
    const send = () => {
      while (sent < 200_000_000) {
        sent += 65_536;
        if (!response.write(Buffer.alloc(65_536))) return response.once("drain", send);
      }
      return response.end();
    };
    send();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const response = await cappedFetch(100_000)(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("longer than 100000 bytes");
  expect(sent).toBeLessThan(50_000_000);
  server.closeAllConnections();
  server.close();
});

test("follows no redirect", async () => {
  const visited: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    visited.push(url);
    response.writeHead(302, { Location: "/elsewhere" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const response = await cappedFetch(100)(url, { method: "POST", body: "secret", redirect: "follow" });
  expect([response.status, visited]).toEqual([302, ["/token"]]);
  server.close();
});

test("reads nothing of a body whose Content-Length is too long", async () => {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(new Uint8Array(++pulled)) },
    { highWaterMark: 0 },
  );
  const request = new Request("https://growline.example", {
    method: "POST",
    body,
    headers: { "Content-Length": "90000000" },
    duplex: "half",
  } as RequestInit);
  expect(
    await readAtMost({ body: request.body, headers: new Headers({ "Content-Length": "90000000" }) }, 10),
  ).toBeNull();
  expect(pulled).toBe(0);
});
