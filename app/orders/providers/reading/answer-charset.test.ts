import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { providers } from "#app/db/schema.server.ts";
import { readOffers } from "#app/orders/providers/catalog-offers.server.ts";
import { postToProvider } from "#app/orders/providers/provider-client.server.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { decodeAnswer } from "./answer-charset.ts";

/**
 * Texts as programs of that charset write them. An accounting API answers "application/json;charset = windows-1253", with
 * blanks (issue 13515 of Appsmith, May 2022); PHP's json_encode makes UTF-8 alone, whatever its server declares.
 */
const WRITTEN: [charset: string, text: string, bytes: string][] = [
  ["windows-1251", "Лайки № 1 – «Россия»", "cb e0 e9 ea e8 20 b9 20 31 20 96 20 ab d0 ee f1 f1 e8 ff bb"],
  ["cp1251", "Ёлка", "a8 eb ea e0"],
  ["KOI8-R", "Лайки", "ec c1 ca cb c9"],
  ["iso-8859-1", "Abonnés – “Suède”", "41 62 6f 6e 6e e9 73 20 96 20 93 53 75 e8 64 65 94"],
  ["latin1", "Zürich", "5a fc 72 69 63 68"],
  ["iso-8859-9", "Beğeni", "42 65 f0 65 6e 69"],
  ["windows-1253", "Χρήστης", "d7 f1 de f3 f4 e7 f2"],
  ["windows-1254", "Takipçi ığş", "54 61 6b 69 70 e7 69 20 fd f0 fe"],
  ["windows-1256", "متابع", "e3 ca c7 c8 da"],
  ["gbk", "点赞联通", "b5 e3 d4 de c1 aa cd a8"],
  ["gb2312", "粉丝", "b7 db cb bf"],
  ["gb18030", "粉丝", "b7 db cb bf"],
  ["big5", "粉絲", "af bb b5 b7"],
  ["euc-kr", "좋아요", "c1 c1 be c6 bf e4"],
  ["shift_jis", "いいね", "82 a2 82 a2 82 cb"],
];

test.each(WRITTEN)("reads an answer that declares %s", (charset, text, hex) => {
  const json = Buffer.concat([Buffer.from('{"name":"'), bytesOf(hex), Buffer.from('"}')]);
  for (const type of [`application/json; charset=${charset}`, `text/html;Charset = "${charset.toUpperCase()}"`]) {
    expect(JSON.parse(decodeAnswer(json, type))).toEqual({ name: text });
    expect(decodeAnswer(Buffer.from(text), type), "UTF-8 that a server calls otherwise").toBe(text);
  }
});

test("reads UTF-8 with cut characters as such, whatever is declared", () => {
  const cut = Buffer.concat([
    Buffer.from("Подписчики 🔥 Лайки ").subarray(0, -1),
    bytesOf("f0 9f 94"),
    Buffer.from(" 1K"),
  ]);
  for (const charset of [
    "",
    "; charset=windows-1251",
    "; charset=ISO-8859-1",
    "; charset=utf-8",
    "; charset=made-up",
  ]) {
    expect(decodeAnswer(cut, `application/json${charset}`)).toBe("Подписчики 🔥 Лайки\ufffd 1K");
  }
});

test("reads undeclared bytes as Windows-1252 if they can be told to be, and else marks them", () => {
  expect(decodeAnswer(bytesOf("41 62 6f 6e 6e e9 73"), "application/json")).toBe("Abonnés");
  expect(decodeAnswer(bytesOf("cb e0 e9 ea e8"), "application/json; charset=unknown")).toBe("\ufffd".repeat(5));
  expect(decodeAnswer(Buffer.from("\ufeff{}"), "")).toBe("{}");
});

test("offers a catalog's names in the charset it declares", async () => {
  catalog("application/json; charset = windows-1251", "cb e0 e9 ea e8");
  const provider = await read(await sandboxProvider());
  expect((await readOffers(db, env, provider))?.offered).toMatchObject([{ name: "Лайки 1K" }]);
  expect(await postToProvider({ apiUrl: provider.apiUrl, key: "k" }, { action: "services" })).toMatchObject({
    kind: "json",
    body: [{ name: "Лайки 1K" }],
  });
});

test("adds no service whose name lost its letters, and follows the rate of one that we have", async () => {
  catalog("application/json", "cb e0 e9 ea e8");
  const provider = await read(await sandboxProvider());
  const fresh = await readOffers(db, env, provider);
  expect(fresh?.offered).toEqual([]);
  expect(fresh?.unreadable).toMatchObject([{ id: "7", reason: "name_letters", word: `${"\ufffd".repeat(5)} 1K` }]);
  const id = await service({ providerId: provider.id, providerServiceId: "7", name: "Likes" });
  const later = await readOffers(db, env, provider);
  expect([later?.offered, later?.unreadable]).toMatchObject([[{ providerServiceId: "7", rate: 900_000 }], []]);
  expect(later?.known).toMatchObject([{ id, name: "Likes" }]);
});

test("drops symbols that a panel lost from a name", async () => {
  catalog("application/json", "ef bf bd 20 4c 69 6b 65 73 20 f0 9f 94");
  const provider = await read(await sandboxProvider());
  expect((await readOffers(db, env, provider))?.offered).toMatchObject([{ name: "Likes 1K" }]);
});

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(" ", ""), "hex");
}

/** The provider's catalog is one service, with the bytes and "1K" as its name. */
function catalog(type: string, hex: string): void {
  const [before, after] = JSON.stringify([
    { service: 7, name: "* 1K", category: "Likes", type: "Default", rate: "0.90", min: 10, max: 1000 },
  ]).split("*");
  const body = Buffer.concat([Buffer.from(before ?? ""), bytesOf(hex), Buffer.from(after ?? "")]);
  providerReplies(() => new Response(body, { headers: { "Content-Type": type } }));
}

async function read(id: number) {
  const [provider] = await db.select().from(providers).where(eq(providers.id, id));
  if (!provider) throw new Error("no provider");
  return provider;
}
