import { appendFileSync, renameSync, statSync } from "node:fs";

const MAX_BYTES = 16 * 1024 * 1024;
/** Older files beside the log: "worker.log.1" is the newest. */
const KEPT = 3;

/**
 * A log that takes at most `maxBytes` times the files it keeps, and whose faults end nothing: on a full disk its lines
 * are lost, which `report` is told once.
 */
export class LogFile {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #report: (text: string) => void;
  #bytes: number;
  #lost = 0;
  #isReported = false;

  constructor(file: string, { maxBytes = MAX_BYTES, report = console.error as (text: string) => void } = {}) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#report = report;
    this.#bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  append(text: string): void {
    try {
      if (this.#bytes >= this.#maxBytes) this.#rotate();
      const line = `${this.#gap()}${text}\n`;
      appendFileSync(this.#file, line, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(line);
      this.#lost = 0;
    } catch (error) {
      this.#lost += 1;
      if (this.#isReported) return;
      this.#isReported = true;
      this.#report(`Not logged from here on, until it can be written: ${this.#file}: ${(error as Error).message}`);
    }
  }

  /** Returns what the log says about the lines before this one. A line may have been written in part. */
  #gap(): string {
    if (this.#lost === 0) return "";
    const [time, lines] = [new Date().toISOString(), this.#lost];
    return `\n${JSON.stringify({ time, level: "warn", message: "log lines lost", lines })}\n`;
  }

  #rotate(): void {
    for (let number = KEPT - 1; number >= 0; number--) {
      const from = number === 0 ? this.#file : `${this.#file}.${number}`;
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${this.#file}.${number + 1}`);
    }
    this.#bytes = 0;
  }
}
