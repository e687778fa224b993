import { vi } from "vitest";
import { FetchingXhr } from "./fetching-xhr.ts";

/** A WebSocket whose server end the test controls. */
export class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static created: FakeSocket[] = [];
  readyState = 0;
  sent: string[] = [];
  constructor() {
    super();
    FakeSocket.created.push(this);
  }
  static get last(): FakeSocket {
    return FakeSocket.created.at(-1) ?? new FakeSocket();
  }
  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event("open"));
  }
  receive(data: string): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
  send(text: string): void {
    this.sent.push(text);
  }
  /** Closes as if the network had dropped the connection. */
  disconnect(): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code: 1006, reason: "" }));
  }
  // No close event: on a dead connection it takes minutes.
  close(): void {}
}

/** Installs the page globals that a live socket needs, with FakeSocket as WebSocket and uploads by the global fetch. */
export function stubPage(): void {
  FakeSocket.created = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("XMLHttpRequest", FetchingXhr);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
  vi.stubGlobal("location", { href: "http://growline.example/" });
}
