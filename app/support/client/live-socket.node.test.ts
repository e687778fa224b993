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

test("pings every 25 seconds and keeps a connection that replies", () => {
  openSocket();
  for (let beat = 1; beat <= 4; beat++) {
    vi.advanceTimersByTime(25_000);
    expect(FakeSocket.last.sent).toEqual(Array(beat).fill("ping"));
    FakeSocket.last.receive("pong");
  }
  expect(FakeSocket.created).toHaveLength(1);
});

test("replaces a connection whose pong does not arrive", () => {
  openSocket();
  vi.advanceTimersByTime(25_000 + 8000);
  expect(down).toHaveBeenCalledWith(1);
  vi.advanceTimersByTime(1200);
  expect(FakeSocket.created).toHaveLength(2);
});

test("detects a dead connection by a message without a reply, before the next ping", () => {
  const socket = openSocket();
  socket.send("a message", true);
  vi.advanceTimersByTime(8000);
  expect(down).toHaveBeenCalledWith(1);
});

test("does not expect a reply to a typing frame, and accepts any frame as a reply", () => {
  const socket = openSocket();
  socket.send("typing", false);
  vi.advanceTimersByTime(9000);
  socket.send("a message", true);
  vi.advanceTimersByTime(7000);
  FakeSocket.last.receive("something else");
  vi.advanceTimersByTime(7000);
  expect(down).not.toHaveBeenCalled();
});

test("pings at once when the page becomes visible", () => {
  openSocket();
  vi.advanceTimersByTime(10_000);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(FakeSocket.last.sent).toEqual(["ping"]);
});

test("gives up on a socket that has not opened after ten seconds", () => {
  openLiveSocket({ path: () => "/socket", onText: () => {}, onDown: down });
  vi.advanceTimersByTime(10_000);
  expect(down).toHaveBeenCalledWith(1);
});
