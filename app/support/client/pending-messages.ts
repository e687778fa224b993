/** A message the room has not acknowledged. The body of a file is its name. */
export type Pending = {
  clientId: string;
  body: string;
  createdAt: number;
  /** `failed` is sent again at the next connect, `refused` only when the person asks: the room rejected it. */
  state: "sending" | "failed" | "refused";
  /** Why it was not sent: the room's word for it, or one of `reasonText`. */
  reason?: string | undefined;
  file?: File;
  /** How much of a file is sent, in percent. */
  progress?: number | undefined;
  /** The browser could not store it, so it is lost with the page. */
  unkept?: true;
};
export type PendingFile = Pending & { file: File };

export function isFile(message: Pending): message is PendingFile {
  return message.file !== undefined;
}

export function findPending(pending: Pending[], clientId: string): Pending | undefined {
  return pending.find((one) => one.clientId === clientId);
}

/** Inserts a message by time. */
export function withPending(pending: Pending[], added: Pending): Pending[] {
  return [...pending, added].sort((one, other) => one.createdAt - other.createdAt);
}

export function withChange(pending: Pending[], clientId: string, change: Partial<Pending>): Pending[] {
  return pending.map((one) => (one.clientId === clientId ? { ...one, ...change } : one));
}

/** Returns the oldest text that may be sent. */
export function firstText(pending: Pending[]): Pending | undefined {
  return pending.find((one) => !isFile(one) && one.state !== "refused");
}

/** Returns the files that no text has to precede. A text does not wait for a file, which may be large. */
export function filesBeforeTexts(pending: Pending[]): PendingFile[] {
  const text = firstText(pending);
  const before = text ? pending.slice(0, pending.indexOf(text)) : pending;
  return before.filter(isFile);
}
