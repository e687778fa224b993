/** An XMLHttpRequest, which Node doesn't have, over the global fetch. */
export class FetchingXhr extends EventTarget {
  static last: FetchingXhr | undefined;
  readonly upload = new EventTarget();
  status = 0;
  responseText = "";
  isAborted = false;
  #method = "GET";
  #path = "";

  open(method: string, path: string): void {
    FetchingXhr.last = this;
    this.#method = method;
    this.#path = path;
  }
  send(body: Blob): void {
    this.#fetch(body).catch(() => this.#end());
  }
  /** Reports that so many of the bytes are sent. */
  progress(loaded: number, total: number): void {
    this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded, total }));
  }
  abort(): void {
    this.isAborted = true;
    this.#end();
  }

  async #fetch(body: Blob): Promise<void> {
    const response = await fetch(this.#path, { method: this.#method, body });
    const text = await response.text();
    if (this.isAborted) return;
    this.status = response.status;
    this.responseText = text;
    this.#end();
  }
  #end(): void {
    this.dispatchEvent(new Event("loadend"));
  }
}
