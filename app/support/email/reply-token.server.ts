import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "#app/email-address.ts";
import { DAY_MS } from "#app/time.ts";

/**
 * The local part of the Reply-To address in an email about unread replies. It names the row of the conversation and its
 * last valid day, and is signed together with the conversation's id and the address the email goes to. Nothing is stored:
 * a token ends with its row, its day or its address.
 */

/** Longer than a vacation, so that a person who comes back can still answer. */
const VALID_DAYS = 30;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const ROW_BYTES = 5;
const DAY_BYTES = 2;
const SIGNATURE_BYTES = 13;
const SIGNED_FROM = ROW_BYTES + DAY_BYTES;
/** 20 bytes make 32 letters without a rest. */
const TOKEN = /^[a-z2-7]{32}$/;

/** What a token is bound to. `address`: the one that the email goes to. */
export type ReplyTo = { rowId: number; sessionId: string; address: string };
export type ReplyToken = { rowId: number; lastDay: number; signature: Uint8Array };

/** `secrets`: SESSION_SECRET. */
export function makeReplyToken(secrets: string, to: ReplyTo, now: number): string {
  const bytes = Buffer.alloc(SIGNED_FROM + SIGNATURE_BYTES);
  const lastDay = Math.floor(now / DAY_MS) + VALID_DAYS;
  bytes.writeUIntBE(to.rowId, 0, ROW_BYTES);
  bytes.writeUIntBE(lastDay, ROW_BYTES, DAY_BYTES);
  sign(newestOf(secrets), lastDay, to).copy(bytes, SIGNED_FROM);
  return toBase32(bytes);
}

/** Returns what a token says, signed or not, or null if the text is no token. Mail servers may change its case. */
export function readReplyToken(text: string): ReplyToken | null {
  const token = text.toLowerCase();
  if (!TOKEN.test(token)) return null;
  const bytes = fromBase32(token);
  return {
    rowId: bytes.readUIntBE(0, ROW_BYTES),
    lastDay: bytes.readUIntBE(ROW_BYTES, DAY_BYTES),
    signature: bytes.subarray(SIGNED_FROM),
  };
}

/** Returns whether the token was made for this conversation and address, and has not ended. */
export function isReplyTokenFor(secrets: string, token: ReplyToken, to: ReplyTo, now: number): boolean {
  if (Math.floor(now / DAY_MS) > token.lastDay) return false;
  return secrets.split(",").some((secret) => timingSafeEqual(sign(secret, token.lastDay, to), token.signature));
}

function newestOf(secrets: string): string {
  return secrets.split(",")[0] ?? "";
}

function sign(secret: string, lastDay: number, { rowId, sessionId, address }: ReplyTo): Buffer {
  const signed = JSON.stringify(["reply by email", rowId, lastDay, sessionId, emailKey(address)]);
  return createHmac("sha256", secret).update(signed).digest().subarray(0, SIGNATURE_BYTES);
}

function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replaceAll(/.{5}/g, (five) => ALPHABET.charAt(Number.parseInt(five, 2)));
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
