import { vi } from "vitest";

/** A WebSocket whose other end is in the test's hand. */
export class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 0;
  sent: string[] = [];
  constructor() {
    super();
    FakeSocket.made.push(this);
  }
  static get last(): FakeSocket {
    return FakeSocket.made.at(-1) ?? new FakeSocket();
  }
  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event("open"));
  }
  hear(data: string): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
  send(text: string): void {
    this.sent.push(text);
  }
  /** As the network does it, and says so. */
  lose(): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code: 1006, reason: "" }));
  }
  // A dead line's close event does not come.
  close(): void {}
}

/** As much of a page as a live socket needs; every socket that it opens is a fake one. */
export function stubPage(): void {
  FakeSocket.made = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
  vi.stubGlobal("location", { href: "http://growline.example/" });
}
