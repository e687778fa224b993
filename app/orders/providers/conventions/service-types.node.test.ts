import { expect, test } from "vitest";
import { ORDER_TYPES } from "#app/db/schema.server.ts";
import { readServiceType, SERVICE_TYPES } from "./service-types.ts";

const read = (word: unknown) => readServiceType(word, SERVICE_TYPES);

test("reads each type whatever its case, blanks, underscores and hyphens", () => {
  for (const type of ORDER_TYPES) {
    const words = [
      type,
      type.toLowerCase(),
      type.toUpperCase(),
      ...["_", "-", ""].map((mark) => type.replaceAll(" ", mark)),
    ];
    for (const word of [...words, ` ${type.toLowerCase().replaceAll(" ", "_")} `]) {
      expect(read(word), word).toBe(type);
    }
  }
});

test("reads the words of panels that name what is delivered, and knows no other word", () => {
  expect(["subscribe", "likes", "Views", "primary"].map(read)).toEqual(Array(4).fill("Default"));
  expect(["subscription", "Subscriptions"].map(read)).toEqual(["Subscriptions", "Subscriptions"]);
  const unknown = ["Likes spread", "Custom Replies", "comments", "auto", "1", 1, true, null, {}, "", "constructor"];
  expect(unknown.map(read)).toEqual(unknown.map(() => null));
});
