import { expect, test } from "vitest";
import { MemoryStorage } from "#tests/faults/browser-globals.ts";
import { openStorage } from "./browser-storage.ts";

const forbidden = (): Storage => {
  throw new DOMException("The operation is insecure.", "SecurityError");
};

function fullAfter(entries: number): Storage {
  const storage = new MemoryStorage();
  const setItem = storage.setItem.bind(storage);
  storage.setItem = (key, value) => {
    if (storage.getItem(key) === null && storage.length >= entries) throw new DOMException("", "QuotaExceededError");
    setItem(key, value);
  };
  return storage;
}

test("stores values where other pages find them", () => {
  const stored = new MemoryStorage();
  const storage = openStorage(() => stored);
  expect(storage.get("a")).toBeNull();
  expect(storage.set("a", "1")).toBe(true);
  expect(openStorage(() => stored).get("a")).toBe("1");
  expect(storage.keys()).toEqual(["a"]);
  expect(storage.isAllowed()).toBe(true);
  storage.remove("a");
  expect(stored.getItem("a")).toBeNull();
});

test("keeps values in memory where storage is forbidden", () => {
  const storage = openStorage(forbidden);
  expect(storage.isAllowed()).toBe(false);
  expect(storage.set("a", "1")).toBe(false);
  expect([storage.get("a"), storage.keys()]).toEqual(["1", ["a"]]);
  storage.remove("a");
  expect([storage.get("a"), storage.keys()]).toEqual([null, []]);
  expect(openStorage(forbidden).get("a")).toBeNull();
});

test("keeps what a full storage refuses in memory, until it fits", () => {
  const stored = fullAfter(1);
  const storage = openStorage(() => stored);
  expect([storage.set("a", "1"), storage.set("b", "2")]).toEqual([true, false]);
  expect([storage.get("a"), storage.get("b"), storage.keys().sort()]).toEqual(["1", "2", ["a", "b"]]);
  storage.remove("a");
  expect(storage.set("b", "3")).toBe(true);
  expect([storage.get("b"), stored.getItem("b")]).toEqual(["3", "3"]);
});

test("prefers a value that did not fit to the older one that is stored", () => {
  const stored = fullAfter(1);
  const storage = openStorage(() => stored);
  storage.set("a", "old");
  stored.setItem = () => {
    throw new DOMException("", "QuotaExceededError");
  };
  storage.set("a", "new");
  expect(storage.get("a")).toBe("new");
});
