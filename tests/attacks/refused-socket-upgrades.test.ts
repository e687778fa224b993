import { SELF } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { HSTS } from "#app/http/responses/security-headers.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, openConnection, upgrade } from "#tests/workerd/support-visitor.ts";

const DESK = "/admin/inbox/socket";
const ROOM = "/support/sessions/:id/socket";

test("answers a refused upgrade with the headers and the log line of every response", async () => {
  const lines = vi.spyOn(console, "log").mockImplementation(() => {});
  const { cookie } = await signedIn();
  const ada = await newVisitor();
  const room = `/support/sessions/${ada.sessionId}/socket`;
  const refusals: [number, string, Promise<Response>][] = [
    [426, room, SELF.fetch(ORIGIN + room, { headers: { Cookie: ada.cookie } })],
    [403, room, upgrade(room, ada.cookie, "https://evil.example")],
    [404, room, upgrade(room, cookie)],
    [404, DESK, upgrade(DESK, cookie)],
  ];
  for (const [status, path, refusal] of refusals) await expectRefusal(status, path, await refusal);

  const own = await Promise.all(Array.from({ length: 200 }, () => openConnection(ada.sessionId, ada.cookie)));
  await expectRefusal(429, room, await upgrade(room, ada.cookie));
  for (const connection of own) connection.close();
  const accepted = await upgrade(room, (await newVisitor()).cookie);
  expect(accepted.status).toBe(404);
  lines.mockRestore();

  async function expectRefusal(status: number, path: string, response: Response): Promise<void> {
    await response.body?.cancel();
    const { headers } = response;
    expect(response.status).toBe(status);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Strict-Transport-Security")).toBe(HSTS);
    expect(headers.get("Cache-Control")).toBe("private, no-store");
    expect(headers.get("Content-Security-Policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    const id = headers.get("X-Request-Id");
    const logged = lines.mock.calls
      .map(([line]) => JSON.parse(String(line)))
      .find(({ request_id }) => request_id === id);
    expect(logged).toMatchObject({ message: "request", method: "GET", route: path === DESK ? DESK : ROOM, status });
  }
});
