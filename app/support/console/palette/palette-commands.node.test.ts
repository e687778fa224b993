import { expect, test } from "vitest";
import { type Command, matchCommands } from "./palette-commands.ts";

const command = (label: string, more: Partial<Command> = {}): Command => ({
  id: label,
  group: "Actions",
  label,
  run: () => {},
  ...more,
});
const COMMANDS = [
  command("Assign to me"),
  command("Assign to Bo", { isExtra: true }),
  command("Close conversation"),
  command("Use saved reply /sign", { detail: "How to sign in", isExtra: true }),
  command("Orders", { group: "Pages" }),
];
const labels = (typed: string) => matchCommands(COMMANDS, typed).map(({ label }) => label);

test("finds commands by every word that was typed, in any order and in their details", () => {
  expect(labels("me ASSIGN")).toEqual(["Assign to me"]);
  expect(labels("sign in")).toEqual(["Use saved reply /sign"]);
  expect(labels("refund")).toEqual([]);
});

test("puts labels that start with what was typed first, group by group", () => {
  const mixed = [command("Reassign", { id: "a" }), command("Assign", { id: "b" }), ...COMMANDS.slice(4)];
  expect(matchCommands(mixed, "assign").map(({ label }) => label)).toEqual(["Assign", "Reassign"]);
  expect(matchCommands(mixed, "").map(({ group }) => group)).toEqual(["Actions", "Actions", "Pages"]);
});

test("opens with a short list, and shows at most eight matches of a group", () => {
  expect(labels("")).toEqual(["Assign to me", "Close conversation", "Orders"]);
  const many = Array.from({ length: 20 }, (_, at) => command(`Reply ${at}`));
  expect(matchCommands(many, "reply")).toHaveLength(8);
});
