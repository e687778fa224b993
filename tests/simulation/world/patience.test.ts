import { expect, test } from "vitest";
import { openPatience } from "./patience.ts";

function following() {
  const people = new Set<Promise<unknown>>();
  const follow = (work: Promise<unknown>) => {
    const followed: Promise<unknown> = work.finally(() => people.delete(followed));
    people.add(followed);
  };
  return { people, follow };
}

test("lets the clock go on once whoever is not done waits for it, and not while somebody acts", async () => {
  const patience = openPatience();
  patience.setStepping(true);
  const { people, follow } = following();
  const told: string[] = [];
  const request = Promise.withResolvers<void>();
  follow(patience.pause().then(() => told.push("woken")));
  follow(patience.during(request.promise).then(() => told.push("answered")));
  const still = patience.untilStill(people).then(() => told.push("still"));
  await new Promise((resolve) => setImmediate(resolve));
  request.resolve();
  await still;
  expect(told).toEqual(["answered", "still"]);
  expect(patience.wake()).toBe(1);
  await patience.untilStill(people);
  expect(told).toEqual(["answered", "still", "woken"]);
});

test("does not take for a wait what lies between a response and the next request", async () => {
  const patience = openPatience();
  patience.setStepping(true);
  const { people, follow } = following();
  let requests = 0;
  const send = async () => {
    for (; requests < 5; requests++) await patience.during(new Promise((resolve) => setImmediate(resolve)));
  };
  follow(patience.pause());
  follow(send());
  await patience.untilStill(people);
  expect(requests).toBe(5);
  patience.wake();
});

test("wakes those who wait by itself while nobody moves the clock", async () => {
  const patience = openPatience();
  await patience.pause();
  expect(patience.pausing()).toBe(0);
});
