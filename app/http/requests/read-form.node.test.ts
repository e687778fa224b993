import { expect, test } from "vitest";
import { z } from "zod";
import { FORM_MAX_BYTES, onlyFields, parseForm, readForm } from "./read-form.ts";

const schema = z.object({ email: z.string("Enter it"), list: z.string().optional() });

test("reads the fields of a form of 64 KB, with or without its length in a header", async () => {
  const body = `email=a&rest=${"x".repeat(FORM_MAX_BYTES - 13)}`;
  for (const sent of [body, new Blob([body]).stream()]) {
    expect((await readForm(posted(sent))).get("email")).toBe("a");
  }
});

test("refuses a longer form without reading its rest", async () => {
  let pulled = 0;
  let canceled = false;
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(16 * 1024).fill(120));
    },
    cancel() {
      canceled = true;
    },
  });
  const refusal = await refused(readForm(posted(endless)));
  expect([refusal.status, await refusal.text()]).toEqual([
    413,
    "This form is larger than 64 KB. Shorten what you typed and send it again.",
  ]);
  expect(canceled).toBe(true);
  expect(pulled).toBeLessThan(10);
});

test("accepts a custom limit and text", async () => {
  const refusal = await refused(
    readForm(posted("email=abc"), {
      encoding: "application/x-www-form-urlencoded",
      maxBytes: 8,
      tooLarge: "Too many lines.",
    }),
  );
  expect([refusal.status, await refusal.text()]).toEqual([413, "Too many lines."]);
});

test("refuses a body that is not a form, and any method but POST", async () => {
  const text = new Request("https://x.example/", { method: "POST", body: "{}" });
  expect((await refused(readForm(text))).status).toBe(400);
  const refusal = await refused(readForm(new Request("https://x.example/", { method: "PUT", body: "email=a" })));
  expect([refusal.status, refusal.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
});

test("drops files and names that the schema does not have", () => {
  const form = new FormData();
  for (const name of ["email[20000000]", "list.x", "list[20000000]", "__intent__", "__proto__", "a[20000000]"]) {
    form.append(name, "1");
  }
  form.append("email", new File(["x"], "x.txt"));
  expect([...onlyFields(form, schema)]).toEqual([]);
  expect(parseForm(form, schema)).toEqual({
    ok: false,
    result: { intent: "", ok: false, message: undefined, fieldErrors: { email: "Enter it" }, values: {} },
  });
});

test("returns what was typed without the secrets, and the first error of each field", () => {
  const login = z.object({ email: z.string().min(1, "Enter it").max(0, "Too long"), password: z.string() });
  const form = new FormData();
  form.append("intent", "log-in");
  form.append("email", "a");
  form.append("email", "");
  form.append("password", "secret");
  expect(parseForm(form, login, { secrets: ["password"] })).toMatchObject({
    result: { intent: "log-in", fieldErrors: { email: "Enter it" }, values: { email: "" } },
  });
  form.set("email", "b");
  const parsed = parseForm(form, login.extend({ email: z.string() }), { secrets: ["password"] });
  expect(parsed.ok && parsed.refuse({ message: "Wrong password" })).toEqual({
    intent: "log-in",
    ok: false,
    message: "Wrong password",
    values: { email: "b" },
  });
});

test("keeps the names of every variant of a form", () => {
  const either = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), amount: z.string() }),
    z.object({ kind: z.literal("b"), reason: z.string() }),
  ]);
  const form = new FormData();
  for (const name of ["kind", "amount", "reason", "other"]) form.append(name, "b");
  expect([...onlyFields(form, either).keys()].sort()).toEqual(["amount", "kind", "reason"]);
  expect(parseForm(form, either)).toMatchObject({ ok: true, input: { kind: "b", reason: "b" } });
});

function posted(body: BodyInit): Request {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return new Request("https://x.example/", { method: "POST", body, headers, duplex: "half" } as RequestInit);
}

async function refused(work: Promise<unknown>): Promise<Response> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Response)) throw new Error("nothing was refused");
  return thrown;
}
