import { runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { expect, test, vi } from "vitest";
import { action as receiveFile } from "#app/routes/support/files.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, openConnection, roomOf, type Visitor } from "#tests/workerd/support-visitor.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const PDF = new TextEncoder().encode("%PDF-1.7 with <script>");
const HTML = new TextEncoder().encode("<!doctype html><script>alert(1)</script>");

test("delivers an image to both sides byte for byte, with the type of its content", async () => {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  const desk = await openConnection(ada.sessionId, agent.cookie);
  const sent = await sendFile(ada.sessionId, ada.cookie, PNG, "../../a\u202Egpj.html");
  expect(await sent.json()).toMatchObject({ clientId: "f1", seq: 2 });
  const { file } = (await desk.next("message")).message;
  expect(file).toMatchObject({ name: "agpj.png", type: "image/png", size: PNG.length });
  for (const cookie of [ada.cookie, agent.cookie]) {
    const got = await getFile(ada.sessionId, file?.id, cookie);
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(PNG);
    expect(got.headers.get("Content-Type")).toBe("image/png");
    expect(got.headers.get("Content-Disposition")).toBe("inline; filename*=UTF-8''agpj.png");
    expect(got.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(got.headers.get("Content-Security-Policy")).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
  }
});

test("lets a browser show a file again only after asking whether its user may still read it", async () => {
  const ada = await newVisitor();
  await sendFile(ada.sessionId, ada.cookie, PNG, "cat.png");
  const id = await fileIdOf(ada.sessionId);
  const first = await getFile(ada.sessionId, id, ada.cookie);
  await first.arrayBuffer();
  expect(first.headers.get("Cache-Control")).toBe("private, no-cache");
  const tag = first.headers.get("ETag") ?? "";
  const again = await getFile(ada.sessionId, id, ada.cookie, tag);
  expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, tag, ""]);
  expect((await getFile(ada.sessionId, id, "", tag)).status).toBe(404);
});

test("serves a PDF as a download only, and refuses other types whatever their name", async () => {
  const ada = await newVisitor();
  expect((await sendFile(ada.sessionId, ada.cookie, PDF, "bill.pdf")).status).toBe(200);
  const got = await getFile(ada.sessionId, await fileIdOf(ada.sessionId), ada.cookie);
  expect(got.headers.get("Content-Disposition")).toBe("attachment; filename*=UTF-8''bill.pdf");
  expect((await sendFile(ada.sessionId, ada.cookie, HTML, "cat.png", "f2")).status).toBe(415);
  const large = new Uint8Array(10 * 1024 * 1024 + 1);
  large.set(PNG);
  expect((await sendFile(ada.sessionId, ada.cookie, large, "large.png", "f3")).status).toBe(413);
  expect((await roomOf(ada.sessionId).read(0))?.lastSeq).toBe(2);
});

test("refuses an empty file with a reason of its own", async () => {
  const ada = await newVisitor();
  const refused = await sendFile(ada.sessionId, ada.cookie, new Uint8Array(0), "cat.png");
  expect([refused.status, await refused.json()]).toEqual([422, { error: "empty" }]);
  expect((await roomOf(ada.sessionId).read(0))?.lastSeq).toBe(1);
});

test("takes three files of a visitor at a time, and six of an address", async () => {
  const [ada, bob, cy] = [await newVisitor(), await newVisitor("Bob"), await newVisitor("Cy")];
  const [home, office] = ["203.0.113.77", "203.0.113.78"];
  const send = async (visitor: Visitor, address: string) => (await heldFile(visitor, address).end()).status;
  const held = [...Array(3).fill(ada), ...Array(3).fill(bob)].map((visitor: Visitor) => heldFile(visitor, office));
  for (const { read } of held) await read;
  expect(await send(ada, home)).toBe(429);
  expect(await send(cy, office)).toBe(429);
  expect(await send(cy, home)).toBe(200);
  for (const { end } of held) expect((await end()).status).toBe(200);
  for (const visitor of [ada, cy]) expect(await send(visitor, office)).toBe(200);
});

test("refuses a blocked visitor's file, and one beyond the limit, before its bytes are read", async () => {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const now = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(now);
  const flood = Array.from({ length: 70 }, (_, n) =>
    roomOf(ada.sessionId).sendMessage(
      { side: "user", author: ada.sessionId, name: "Ada" },
      { clientId: `m${n}`, body: "more" },
    ),
  );
  await Promise.all(flood);
  const endless = () => new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: (controller) => controller.enqueue(PNG) });
  expect((await sendFile(ada.sessionId, ada.cookie, endless(), "cat.png")).status).toBe(429);
  await roomOf(ada.sessionId).applyAction({ id: bo.userId, name: "Bo" }, { action: "block", blocked: true });
  vi.restoreAllMocks();
  expect((await sendFile(ada.sessionId, ada.cookie, endless(), "cat.png")).status).toBe(403);
});

test("answers a file that it has without reading it again", async () => {
  const ada = await newVisitor();
  const first = await (await sendFile(ada.sessionId, ada.cookie, PNG, "cat.png")).json();
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: (controller) => controller.enqueue(PNG) });
  const again = await sendFile(ada.sessionId, ada.cookie, endless, "cat.png");
  expect(await again.json()).toEqual(first);
});

test("lets nobody else read or upload a file, and finds no file through another room", async () => {
  const ada = await newVisitor();
  const bob = await newVisitor("Bob");
  await sendFile(ada.sessionId, ada.cookie, PNG, "cat.png");
  const id = await fileIdOf(ada.sessionId);
  for (const cookie of ["", bob.cookie]) expect((await getFile(ada.sessionId, id, cookie)).status).toBe(404);
  expect((await getFile(bob.sessionId, id, bob.cookie)).status).toBe(404);
  expect((await sendFile(ada.sessionId, bob.cookie, PNG, "dog.png")).status).toBe(404);
});

test("stores a file that is sent twice as one message and one object", async () => {
  const ada = await newVisitor();
  const sends = [1, 2].map(() => sendFile(ada.sessionId, ada.cookie, PNG, "cat.png"));
  const [first, second] = await Promise.all((await Promise.all(sends)).map((one) => one.json()));
  expect(second).toEqual(first);
  const ids = (await roomOf(ada.sessionId).read(0))?.messages.flatMap(({ file }) => (file ? [file.id] : [])) ?? [];
  expect(ids).toHaveLength(1);
});

test("moves files to the account, and deletes them with the conversation", async () => {
  const ada = await newVisitor();
  await sendFile(ada.sessionId, ada.cookie, PNG, "cat.png");
  const id = await fileIdOf(ada.sessionId);
  const customer = await signedIn("customer", "Cy");
  await SELF.fetch(`${ORIGIN}/support/session`, { headers: { Cookie: `${ada.cookie}; ${customer.cookie}` } });
  const own = userSessionId(customer.userId);
  expect((await getFile(own, id, customer.cookie)).status).toBe(200);
  await roomOf(own).deleteConversation(own);
  expect(await env.UPLOADS.head(`support/${id}`)).toBeNull();
});

test("deletes more files than R2 deletes in one call", async () => {
  const ada = await newVisitor();
  await sendFile(ada.sessionId, ada.cookie, PNG, "cat.png");
  const id = await fileIdOf(ada.sessionId);
  await runInDurableObject(roomOf(ada.sessionId), (_, { storage }) => {
    for (let seq = 0; seq < 1000; seq++) {
      storage.sql.exec(
        `INSERT INTO messages (seq, author, client_id, sender_type, sender_name, message, created_at)
         VALUES (?, 'ada', ?, 'user', 'Ada', 'cat.png', 0)`,
        1000 + seq,
        `many-${seq}`,
      );
      // In the order of their ids, the one that is there comes last.
      storage.sql.exec("INSERT INTO files VALUES (?, ?, 'image/png', 1)", 1000 + seq, `!${seq}`);
    }
  });
  await roomOf(ada.sessionId).deleteConversation(ada.sessionId);
  expect(await env.UPLOADS.head(`support/${id}`)).toBeNull();
});

function sendFile(
  sessionId: string,
  cookie: string,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  name: string,
  clientId = "f1",
) {
  const query = new URLSearchParams({ clientId, name });
  return SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/files?${query}`, {
    method: "POST",
    headers: { "Content-Type": "text/html", Origin: ORIGIN, Cookie: cookie },
    body,
  });
}

/** Starts to send a file, and sends the rest of it with `end`. `read`: resolves once the product waits for that. */
function heldFile({ sessionId, cookie }: Visitor, address: string) {
  const [read, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        read.resolve();
        await rest.promise;
        controller.enqueue(PNG);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const query = new URLSearchParams({ clientId: crypto.randomUUID(), name: "cat.png" });
  const headers = { Origin: ORIGIN, Cookie: cookie, "CF-Connecting-IP": address };
  const url = `${ORIGIN}/support/sessions/${sessionId}/files?${query}`;
  const request = new Request(url, { method: "POST", headers, body });
  const args = { request, params: { id: sessionId }, context: loadContext() } as unknown as ActionFunctionArgs;
  const response = receiveFile(args);
  const end = () => {
    rest.resolve();
    return response;
  };
  return { read: read.promise, end };
}

function getFile(sessionId: string, id: string | undefined, cookie: string, tag = ""): Promise<Response> {
  const headers = { Cookie: cookie, "If-None-Match": tag };
  return SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/files/${id}`, { headers });
}

async function fileIdOf(sessionId: string): Promise<string> {
  const messages = (await roomOf(sessionId).read(0))?.messages ?? [];
  return messages.find(({ file }) => file)?.file?.id ?? "none";
}
