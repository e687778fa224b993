import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { readForm } from "./read-form.ts";

const SITE = "https://growline.example";
const FORM = "application/x-www-form-urlencoded";

/** Forms of real programs: the type that each declares, how it encodes the comments, and the text it means. */
const SENT: [what: string, type: string, comments: string, meant: string][] = [
  [
    "PHP's http_build_query on a Latin-1 site, which declares it",
    `${FORM}; charset=ISO-8859-1`,
    "Sch%F6n+gemacht",
    "Schön gemacht",
  ],
  ["Apache HttpClient 4.5.14 with a charset", `${FORM}; charset=ISO-8859-1`, "Sch%F6n%2C+ja", "Schön, ja"],
  ["a program that declares Latin-1 and sends UTF-8", `${FORM}; charset=ISO-8859-1`, "Sch%C3%B6n", "Schön"],
  ["a Windows program", `${FORM};charset="windows-1252"`, "10+%80", "10 €"],
  ["a Latin-9 site", `${FORM}; Charset=iso-8859-15`, "10+%A4", "10 €"],
  ["a Russian site", `${FORM}; charset=windows-1251`, "%CF%F0%E8%E2%E5%F2", "Привет"],
  ["a Russian site with bytes that are UTF-8, too", `${FORM}; charset=windows-1251`, "%C5%B8", "Её"],
  ["a Chinese site", `${FORM}; charset=GBK`, "%C4%A3%B7%C2", "模仿"],
  ["a Japanese site", `${FORM}; charset=Shift_JIS`, "%83e%83X%83g", "テスト"],
  ["a form of a Latin-1 page", FORM, "Sch%F6n&_charset_=windows-1252", "Schön"],
  ["a browser", `${FORM};charset=UTF-8`, "Sch%C3%B6n+%F0%9F%91%8D", "Schön 👍"],
  ["curl", FORM, "Schön", "Schön"],
  ["a program that declares no charset there is", `${FORM}; charset=none`, "Sch%C3%B6n", "Schön"],
  ["a program that sends a form as text", "text/plain; charset=ISO-8859-1", "Sch%F6n", "Schön"],
];

test.each(SENT)("places what %s sends as it was meant", async (_, type, comments, meant) => {
  const { userId, response } = await order(type, (fields) => `${fields}&comments=${comments}`);
  expect(await response.json()).toEqual({ order: expect.any(Number) });
  const [placed] = await db.select().from(orders).where(eq(orders.userId, userId));
  expect(placed?.providerFields.comments).toBe(meant);
});

test.each([
  ["a form of Apache HttpClient 4.5.14 by default", FORM, "Sch%F6n"],
  ["a form that declares UTF-8", `${FORM}; charset=UTF-8`, "Sch%F6n"],
  ["a form that declares no charset there is", `${FORM}; charset=none`, "Sch%F6n"],
  ["a form cut within a character", FORM, "Sch%C3"],
  ["a form in an encoding with which no form can be written", `${FORM}; charset=utf-16`, "Sch%F6n"],
  ["a form in another charset than it declares", `${FORM}; charset=gbk`, "Sch%F6"],
  ["text without a type", "text/plain", "Sch%F6n"],
])("refuses %s that is not UTF-8, and charges nothing", async (_, type, comments) => {
  const { userId, response } = await order(type, (fields) => `${fields}&comments=${comments}`);
  expect(await response.json()).toEqual({
    error: expect.stringContaining("Text is not UTF-8. Send UTF-8, or name its"),
  });
  expect(await db.$count(orders, eq(orders.userId, userId))).toBe(0);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test.each([
  [
    "of Apache HttpClient 4.5.14, with the charset of its parts",
    "Content-Type: text/plain; charset=ISO-8859-1\r\n",
    "Sch\xf6n",
    "Schön",
  ],
  [
    "with parts that declare Latin-1 and are UTF-8",
    "Content-Type: text/plain; charset=ISO-8859-1\r\n",
    "Sch\xc3\xb6n",
    "Schön",
  ],
  ["with parts in Russian", "Content-Type: text/plain; charset=windows-1251\r\n", "\xc5\xb8", "Её"],
  ["in UTF-8", "", "Sch\xc3\xb6n", "Schön"],
  ["that declares nothing and is not UTF-8", "", "Sch\xf6n", null],
])("reads a multipart form %s", async (_, header, comments, meant) => {
  const { userId, response } = await order("multipart/form-data; boundary=x", (fields) => {
    const parts = [...new URLSearchParams(fields), ["comments", comments] as const].map(
      ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n${header}\r\n${value}\r\n`,
    );
    return `${parts.join("")}--x--\r\n`;
  });
  const answer = await response.json<{ order?: number; error?: string }>();
  const [placed] = await db.select().from(orders).where(eq(orders.userId, userId));
  expect(placed?.providerFields.comments ?? null).toBe(meant);
  if (meant === null) expect(answer.error).toContain("not UTF-8");
});

test("refuses a URL whose text is not UTF-8", async () => {
  const { apiKey } = await customerWith(MICRO);
  const headers = { Authorization: `Bearer ${apiKey}` };
  const refused = await SELF.fetch(`${SITE}/api/v1/orders?reference=Sch%F6n`, { headers });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: "invalid_request", title: expect.stringContaining("not UTF-8") });
  expect((await SELF.fetch(`${SITE}/api/v1/orders?reference=Sch%C3%B6n`, { headers })).status).toBe(200);
});

test("reads the forms of pages by the same rule", async () => {
  const posted = (type: string, body: string) =>
    readForm(new Request(SITE, { method: "POST", headers: { "Content-Type": type }, body }));
  expect((await posted(`${FORM}; charset=ISO-8859-1`, "name=Bj%F6rk")).get("name")).toBe("Björk");
  const status = await posted(FORM, "name=Bj%F6rk").then(
    () => null,
    (thrown: Response) => thrown.status,
  );
  expect(status).toBe(400);
});

test("keeps the files of a form in another charset as they were", async () => {
  const bytes = Uint8Array.of(0, 0xf6, 0xff, 0x80, 13, 10, 1);
  const head =
    '--x\r\nContent-Disposition: form-data; name="text"\r\nContent-Type: text/plain; charset=latin1\r\n\r\nBj\xf6rk\r\n';
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head + file, "latin1"), bytes, Buffer.from("\r\n--x--\r\n")]);
  const headers = { "Content-Type": "multipart/form-data; boundary=x" };
  const form = await readForm(new Request(SITE, { method: "POST", headers, body }));
  expect(form.get("text")).toBe("Björk");
  expect(new Uint8Array(await (form.get("file") as File).arrayBuffer())).toEqual(bytes);
});

/** Posts an order for custom comments, whose body holds one byte for each character up to U+00FF, or is UTF-8. */
async function order(type: string, bodyOf: (fields: string) => string) {
  const { userId, apiKey: key } = await customerWith(MICRO);
  const id = await service({ type: "Custom Comments", min: 1 });
  const link = `https://instagram.com/p/${userId}`;
  const fields = new URLSearchParams({ key, action: "add", service: String(id), link });
  const text = bodyOf(String(fields));
  const body = Buffer.from(text, type.startsWith("multipart") ? "latin1" : "utf8");
  const response = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", headers: { "Content-Type": type }, body });
  return { userId, response };
}
