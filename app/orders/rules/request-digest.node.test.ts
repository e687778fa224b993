import { expect, test } from "vitest";
import { digestOfMassOrder, digestOfOrder } from "./request-digest.server.ts";

const ORDER = { link: "https://instagram.com/p/1", quantity: "1000" };
const DIGEST = "9b12743536c3dc4af49d55e8a94c90f6";

test("keeps the digest of an order across deployments", () => {
  // A stored order's key is refused if this changes: keep the literal and change the code.
  expect(digestOfOrder(1, ORDER)).toBe(DIGEST);
  expect(digestOfMassOrder({ text: "1 | https://x.example/a | 10", onlyValid: true })).toBe(
    "7d86fc950ae422014fddea48751c3bb9",
  );
});

test("keeps the digest when the list of fields is in another order", () => {
  expect(digestOfOrder(1, { ...ORDER, comments: "a" })).toBe("2ed40b354ef0e5b475c64ef222dd7e5f");
});

test("leaves empty fields and outer spaces out of the digest", () => {
  const padded = { quantity: " 1000 ", link: `${ORDER.link}\n`, runs: "", comments: "  " };
  expect(digestOfOrder(1, padded)).toBe(DIGEST);
});

test("gives other content another digest", () => {
  expect(digestOfOrder(2, ORDER)).not.toBe(DIGEST);
  expect(digestOfOrder(1, { ...ORDER, runs: "2" })).not.toBe(DIGEST);
  // The same texts in other fields.
  expect(digestOfOrder(1, { hashtag: "a", username: "b" })).not.toBe(digestOfOrder(1, { hashtag: "b", username: "a" }));
});
