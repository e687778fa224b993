import { expect, test } from "vitest";
import { MEANING_NAMES, meaningRule } from "#app/orders/providers/conventions/error-meanings.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readAdd } from "./add-answer.ts";
import { meaningOf } from "./error-texts.ts";
import { NOTHING_TAUGHT, type Reader } from "./reader.ts";
import { responseOf } from "./response.ts";

const READER: Reader = { convention: PANEL_API_V2, words: NOTHING_TAUGHT };
const read = (text: string, inputs: string[] = []) => meaningOf(text, READER, inputs);

test("decides by what a text is about, and not by its courtesy", () => {
  expect(read("This link is not valid, check it and try again")).toBe("target");
  expect(read("Your account is suspended, please try again later")).toBe("account");
  expect(read("Please top up your balance and try again")).toBe("funds");
  expect(read("Something went wrong, please try again later")).toBeNull();
  expect(read("Please try again later")).toBe("busy");
});

test("cancels no order because something broke, whatever else the text names", () => {
  const texts = [
    "Bad response from service",
    "Service error",
    "Error with service provider",
    "We could not create your order for this link",
    "Order with this link not created, try again",
    "Order for this link accepted, number missing",
    "Comments could not be saved",
    "O serviço não respondeu",
    "Layanan tidak merespon",
    "Dịch vụ không phản hồi",
    "Terjadi kesalahan pada link",
    "Произошла ошибка: ссылка",
  ];
  expect(texts.map((text) => [text, read(text)])).toEqual(texts.map((text) => [text, null]));
});

test("sends an order again where its service or the look at its link fails for now", () => {
  const texts = [
    "Could not verify link right now",
    "Link check is temporarily unavailable",
    "Услуга временно недоступна",
    "Servis şu anda kapalı",
    "Serviço indisponível no momento",
    "El servicio no está disponible en este momento",
  ];
  expect(texts.map((text) => [text, read(text)])).toEqual(texts.map((text) => [text, "service_paused"]));
});

test("lets no text of a customer decide", () => {
  const comments = ["your account is banned", "too many requests", "Invalid API key", "service not found"];
  for (const comment of comments) {
    expect(read(`Comment "${comment}" is not allowed`, comments), comment).toBe("details");
    // The words of our own API, to which other copies of the product send orders.
    const comma = `Comments for this service can't contain commas. Remove the comma from “${comment}”.`;
    expect(read(comma, comments), comment).toBe("details");
    expect(read(`Failed: ${comment}`, comments), comment).toBeNull();
  }
  expect(read("Bad link: example.com/api-key", ["https://www.example.com/api-key"])).toBe("target");
  expect(read("Bad link: https://example.com/too-many-requests?invalid=key")).toBe("target");
});

test("names neither the link nor the text of a refusal that it does not know", () => {
  const response = responseOf(200, JSON.stringify({ error: "Odd thing with https://example.com/me" }), 100);
  const outcome = readAdd(response, READER, { hadUnknownAttempt: false, inputs: [] });
  expect(JSON.stringify(outcome)).not.toMatch(/example|Odd/);
});

test("bounds every meaning that sends an order again", () => {
  for (const meaning of MEANING_NAMES) {
    const rule = meaningRule(meaning);
    if (rule.outcome === "deferred") expect(Math.min(rule.attempts, rule.maxAgeMs), meaning).toBeGreaterThan(0);
  }
});

test("lets orders outlast a day on which their provider takes none", () => {
  const forAll = MEANING_NAMES.map(meaningRule).filter(
    (rule) => rule.outcome === "deferred" && ["key", "funds", "busy"].includes(rule.cause),
  );
  expect(forAll.length).toBeGreaterThan(5);
  for (const rule of forAll) {
    expect(rule.outcome === "deferred" ? rule.maxAgeMs : 0, rule.says).toBeGreaterThanOrEqual(24 * 60 * 60_000);
  }
});

test("reads texts of any length", () => {
  for (const piece of ["a ", "link ", "not ", "order for this ", "'", "http://", "<", "x.y/"]) {
    expect(() => read(piece.repeat(100_000), [piece.repeat(2000)])).not.toThrow();
  }
});
