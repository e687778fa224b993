import { expect, test } from "vitest";
import { type Announced, announce } from "./panel-status.ts";

const HERE = "An agent is here";
const AWAY = "Away now · We'll reply here";

test("announces who types once per message, however often they pause", () => {
  expect(
    saidAfter([
      { presence: HERE, typing: null, lastSeq: 1 },
      { presence: HERE, typing: "Bo", lastSeq: 1 },
      { presence: HERE, typing: null, lastSeq: 1 },
      { presence: HERE, typing: "Bo", lastSeq: 1 },
      { presence: HERE, typing: null, lastSeq: 2 },
      { presence: HERE, typing: "Bo", lastSeq: 2 },
    ]),
  ).toEqual([HERE, "Bo is typing…", "", "Bo is typing…"]);
});

test("announces a change of who is there", () => {
  expect(
    saidAfter([
      { presence: HERE, typing: "Bo", lastSeq: 1 },
      { presence: AWAY, typing: null, lastSeq: 1 },
      { presence: AWAY, typing: null, lastSeq: 2 },
      { presence: HERE, typing: null, lastSeq: 2 },
    ]),
  ).toEqual([HERE, AWAY, "", HERE]);
});

/** Returns the texts of the live region, without repetitions, which it does not announce. */
function saidAfter(steps: Parameters<typeof announce>[1][]): string[] {
  let state: Announced = { said: "", presence: "", lastSeq: 0 };
  const said: string[] = [];
  for (const step of steps) {
    state = announce(state, step);
    if (state.said !== said.at(-1)) said.push(state.said);
  }
  return said;
}
