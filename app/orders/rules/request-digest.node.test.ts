import { expect, test } from "vitest";
import { digestOfMassOrder, digestOfOrder } from "./request-digest.server.ts";

const ORDER = { link: "https://instagram.com/p/1", quantity: "1000" };
const DIGEST = "mxJ0NTbD3Er0nVXoqUyQ9g";

test("keeps the digest of an order across deployments", () => {
  // A stored order's key is refused if this changes: keep the literal and change the code.
  expect(digestOfOrder(1, ORDER)).toBe(DIGEST);
  expect(digestOfMassOrder({ text: "1 | https://x.example/a | 10", onlyValid: true })).toBe("fYb8lQrkIgFP3epIdRw7uQ");
});

test("keeps the digest when the list of fields is in another order", () => {
  expect(digestOfOrder(1, { ...ORDER, comments: "a" })).toBe("LtQLNU7w5bR1xk7yIt1-Xw");
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
