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
  vi.advanceTimersByTime(25_000 + 10_000);
  expect(down).toHaveBeenCalledWith(1);
  vi.advanceTimersByTime(1200);
  expect(FakeSocket.created).toHaveLength(2);
});

test("detects a dead connection by a message without a reply, before the next ping", () => {
  const socket = openSocket();
  socket.send("a message", "its reply");
  vi.advanceTimersByTime(9999);
  expect(down).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(down).toHaveBeenCalledWith(1);
});

test("replaces a connection that brings the other side's frames but no reply", () => {
  const socket = openSocket();
  socket.send("a message", "its reply");
  for (let second = 0; second < 9; second++) {
    vi.advanceTimersByTime(1000);
    FakeSocket.last.receive("somebody types");
    FakeSocket.last.receive("pong");
  }
  expect(down).not.toHaveBeenCalled();
  expect(socket.isAwaiting()).toBe(true);
  vi.advanceTimersByTime(1000);
  expect(down).toHaveBeenCalledWith(1);
  expect(socket.isAwaiting()).toBe(false);
});

test("does not expect a reply to a typing frame, and waits no longer once the reply is there", () => {
  const socket = openSocket();
  socket.send("typing", null);
  vi.advanceTimersByTime(9000);
  socket.send("a message", "its reply");
  vi.advanceTimersByTime(7000);
  socket.onReply("its reply");
  vi.advanceTimersByTime(8999);
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
