import type { GmailMessage } from "#app/gmail/api/gmail-message.server.ts";
/** The connection and its sync state. Times are in ms. */
export type Mailbox = {
  connected: boolean;
  /** Google has ended the connection. */
  reconnectNeeded: boolean;
  emailAddress: string | null;
  /** Time of the last connection. */
  connectedAt: number | null;
  autoSync: boolean;
  lastError: string | null;
  /** Set while a sync is running or waiting to resume. */
  progress: { done: number; total: number; running: boolean } | null;
  nextSyncAt: number | null;
};

/** Statistics and newest messages of a mailbox. Times in ms. */
export type GmailData = {
  /** How many messages the mailbox has at Google. */
  totalMessages: number;
  /** How many of them are stored here. Everything below is about those. */
  synced: number;
  lastSyncAt: number | null;
  /** Newest first. */
  recent: GmailMessage[];
  /** Messages per day up to today, oldest first. `day` looks like `2026-11-21`, in UTC. */
  perDay: { day: string; value: number }[];
  topSenders: { email: string; name: string; messages: number }[];
};
