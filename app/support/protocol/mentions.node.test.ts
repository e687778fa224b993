import { expect, test } from "vitest";
import { matchAgents, mentionBefore, mentionedAgents, noteParts } from "./mentions.ts";

const BO = { id: "1", name: "Bo" };
const BO_MILLER = { id: "2", name: "Bo Miller" };
const OTHER_BO = { id: "3", name: "bo" };
const ZOE = { id: "4", name: "Zoë Ash" };
const TEAM = [BO, BO_MILLER, ZOE];

test("finds the teammates that a note names, the longest name first, and no part of a word or an address", () => {
  const named = (body: string) => mentionedAgents(body, TEAM).map(({ id }) => id);
  expect(named("@Bo look")).toEqual(["1"]);
  expect(named("@bo miller, and (@ZOË ASH)")).toEqual(["2", "4"]);
  for (const body of ["Bo", "@Bob", "bo@Bo.example", "mail.@Bo", "@", "@@", "@Zoë"])
    expect(named(body), body).toEqual([]);
  expect(mentionedAgents("@Bo", [BO, OTHER_BO])).toEqual([BO, OTHER_BO]);
});

test("splits a note into text and mentions, and leaves it plain where the teammate has left", () => {
  expect(noteParts("Hi @Bo Miller!", TEAM)).toEqual([
    { text: "Hi ", agent: null },
    { text: "@Bo Miller", agent: BO_MILLER },
    { text: "!", agent: null },
  ]);
  expect(noteParts("@Bo", [])).toEqual([{ text: "@Bo", agent: null }]);
  expect(noteParts("", TEAM)).toEqual([]);
});

test("offers teammates for what is typed after an @ at the caret", () => {
  const at = (text: string, caret = text.length) => mentionBefore(text, caret);
  expect(at("@")).toEqual({ from: 0, typed: "" });
  expect(at("see @bo mi")).toEqual({ from: 4, typed: "bo mi" });
  expect(at("see @bo there", 7)).toEqual({ from: 4, typed: "bo" });
  for (const text of ["", "bo", "a@bo", "@bo miller and", "@bo\n"]) expect(at(text), text).toBeNull();
  expect(matchAgents("", TEAM)).toEqual(TEAM);
  expect(matchAgents("mi", TEAM)).toEqual([BO_MILLER]);
  expect(matchAgents("bo", [BO_MILLER, BO])).toEqual([BO_MILLER, BO]);
  expect(matchAgents("o", TEAM)).toEqual([]);
});
