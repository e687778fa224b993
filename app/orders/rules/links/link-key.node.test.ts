import { expect, test } from "vitest";
import { linkKeyOf } from "./link-key.server.ts";

test("gives all forms of one link one key, which a Number holds exactly", () => {
  const forms = [
    "https://www.instagram.com/p/Cabc123defG/",
    "instagram.com/p/Cabc123defG",
    " http://instagram.com/p/Cabc123defG?igsh=1 ",
  ];
  const keys = new Set(forms.map(linkKeyOf));
  expect(keys.size).toBe(1);
  const [key] = keys;
  expect(Number.isSafeInteger(key)).toBe(true);
  expect(linkKeyOf("https://www.instagram.com/p/Cabc123defH/")).not.toBe(key);
});

test("gives a link whose form is not known a key of its own text, and no link none", () => {
  expect(linkKeyOf("any words")).toBe(linkKeyOf(" any words "));
  expect(linkKeyOf("any words")).not.toBe(linkKeyOf("other words"));
  expect(linkKeyOf(" ")).toBeNull();
});
