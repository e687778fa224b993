import { brotliCompressSync, gzipSync } from "node:zlib";

/** Fields in the order in which they are sent. A name may repeat. */
export type Fields = [name: string, value: string][];

const BOUNDARY = "x";

export function urlEncoded(fields: Fields): Buffer {
  // A lone surrogate can't be percent-encoded: its three bytes are.
  const encode = (text: string) =>
    [...text].map((char) => (char.isWellFormed() ? encodeURIComponent(char) : "%ED%A0%80")).join("");
  return Buffer.from(fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&"));
}

export function multipart(fields: Fields, fileField: string | null): Buffer {
  const parts = fields.map(([name, value]) => {
    const file = name === fileField ? '; filename="a\u0000../../b.csv"\r\nContent-Type: text/csv' : "";
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return Buffer.from(`${parts.join("")}--${BOUNDARY}--\r\n`);
}

export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';

export const BROKEN_MULTIPART = [
  part,
  `${part}--y--\r\n`,
  "--x",
  "--x--",
  "--x\r\n\r\n\r\n--x--\r\n",
  '--x\r\nContent-Disposition: form-data; name="a\r\n\r\n1\r\n--x--\r\n',
  `--x\r\nContent-Disposition: form-data; name="${"n".repeat(60_000)}"\r\n\r\n1\r\n--x--\r\n`,
  "--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--\r\n",
  `${"--x\r\n".repeat(5000)}--x--\r\n`,
  `${part.repeat(1000)}--x--\r\n`,
  '--x\r\nContent-Disposition: form-data; name="file"; filename="a\u0000.csv"\r\n\r\n\r\n--x--\r\n',
  '--x\r\nContent-Type: multipart/mixed; boundary=x\r\nContent-Disposition: form-data; name="a"\r\n\r\n--x--\r\n',
].map((text) => Buffer.from(text));

/** Bodies of bytes that are no text, and of more fields than any form has. */
export const RAW_BODIES = [
  Buffer.alloc(0),
  Buffer.from([0]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xff, 0xfe, 0x61, 0x00]),
  Buffer.alloc(65_536 + 1),
  Buffer.alloc(25_000, "a"),
  Buffer.alloc(200_000, "a"),
  Buffer.alloc(1_100_000, "a"),
  Buffer.from("%=%&%E0%A4%A=%00&=&&"),
  Buffer.from("a=%FF%FE&b=%C3%28"),
  Buffer.from("a=1&".repeat(10_000)),
  Buffer.from(Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}=`).join("&")),
  gzipSync(Buffer.alloc(1_000_000)),
  gzipSync(Buffer.from('{"a":1}')),
  brotliCompressSync(Buffer.from("a=1")),
];
