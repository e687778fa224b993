import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket, stubPage } from "#tests/stand-ins/fake-socket.ts";
import { openLiveSocket } from "./live-socket.ts";

const down = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  down.mockReset();
  stubPage();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function openSocket() {
  const socket = openLiveSocket({ path: () => "/socket", onText: () => {}, onDown: down });
  FakeSocket.last.open();
  return socket;
}

test("a ping goes out every 25 seconds, and a line that answers stands", () => {
  openSocket();
  for (let beat = 1; beat <= 4; beat++) {
    vi.advanceTimersByTime(25_000);
    expect(FakeSocket.last.sent).toEqual(Array(beat).fill("ping"));
    FakeSocket.last.receive("pong");
  }
  expect(FakeSocket.made).toHaveLength(1);
});

test("a line whose pong does not come is let go, and another one is opened", () => {
  openSocket();
  vi.advanceTimersByTime(25_000 + 8000);
  expect(down).toHaveBeenCalledWith(1);
  vi.advanceTimersByTime(1200);
  expect(FakeSocket.made).toHaveLength(2);
});

test("what has to be answered finds a dead line without waiting for the next ping", () => {
  const socket = openSocket();
  socket.send("a message", true);
  vi.advanceTimersByTime(8000);
  expect(down).toHaveBeenCalledWith(1);
});

test("what needs no answer does not, and whatever is heard in time will do", () => {
  const socket = openSocket();
  socket.send("typing", false);
  vi.advanceTimersByTime(9000);
  socket.send("a message", true);
  vi.advanceTimersByTime(7000);
  FakeSocket.last.receive("something else");
  vi.advanceTimersByTime(7000);
  expect(down).not.toHaveBeenCalled();
});

test("after it comes back to the front, a page asks at once whether its line still lives", () => {
  openSocket();
  vi.advanceTimersByTime(10_000);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(FakeSocket.last.sent).toEqual(["ping"]);
});

test("a socket that never opens counts as lost after ten seconds", () => {
  openLiveSocket({ path: () => "/socket", onText: () => {}, onDown: down });
  vi.advanceTimersByTime(10_000);
  expect(down).toHaveBeenCalledWith(1);
});
