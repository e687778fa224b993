import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { keepsOneVersion, siteClient, untilServed } from "./site-client.ts";

let server: Server;
afterEach(() => server.close());

test("asks for a version by its header, keeps cookies, and refuses another version's answer", async () => {
  const seen: (string | undefined)[] = [];
  const url = await serve((headers) => {
    seen.push(String(headers["cloudflare-workers-version-overrides"]), headers.cookie);
    return "new";
  });
  const site = siteClient(url, "growline", "new", new Map());
  await site.fetch("/");
  await site.fetch("/");
  expect(seen).toEqual(['growline="new"', undefined, 'growline="new"', "session=1"]);
  await expect(siteClient(url, "growline", "old", new Map()).fetch("/")).rejects.toThrow(
    "/ was answered by new, not by version old",
  );
});

test("waits until the version is served", async () => {
  const versions = ["old", "new"];
  const url = await serve(() => versions.shift() ?? "new");
  await untilServed(url, "growline", "new");
  expect(versions).toEqual([]);
});

test("notices that one visitor's requests reach two versions", async () => {
  let count = 0;
  const mixed = await serve(() => (++count % 10 === 0 ? "new" : "old"));
  expect(await keepsOneVersion(mixed)).toBe(false);
  server.close();
  expect(await keepsOneVersion(await serve(() => "new"))).toBe(true);
});

async function serve(versionFor: (headers: Record<string, unknown> & { cookie?: string }) => string): Promise<string> {
  server = createServer((request, response) => {
    response.writeHead(200, { "X-Worker-Version": versionFor(request.headers), "Set-Cookie": "session=1; Path=/" });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
