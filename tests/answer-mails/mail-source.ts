/**
 * Answers to an email about unread replies, written after what these mail programs send. They are not captured: what a
 * person wrote in one is nobody else's to store.
 */
export type AnswerMail = {
  name: string;
  /** The program that writes such an email, and its version if it is known. */
  program?: string;
  /** BCP 47, of the program. */
  language?: string;
  /** Where what the program writes is known from. Names, addresses, dates and texts are ours. */
  source?: string;
  /** Parameters of the text's Content-Type besides the charset. */
  parameters?: string;
  plain?: string;
  html?: string;
  charset?: "utf-8" | "windows-1252";
  encoding?: "8bit" | "quoted-printable" | "base64";
  /** What the chat takes. */
  answer: string;
  /** What it takes if it doesn't know what was answered, where that differs. */
  unaware?: string;
};

/** The source of what its author knows of a program, and did not look up. */
export const NOT_LOOKED_UP = "shape known to its author, not looked up";

/** The email that is answered, as its plain text. */
export const ORIGINAL = `Hi Ada, our support team replied while you were away:

Bo:
Which order is it? Please send its number.

Cy:
And which link did you use?

Reply to this email, or continue the conversation in the browser you wrote from:
https://growline.example/#support-chat`;

export const ORIGINAL_HTML =
  '<p>Hi Ada, our support team replied while you were away:</p><p><b>Bo</b><br>Which order is it? Please send its number.</p><p><b>Cy</b><br>And which link did you use?</p><p>Reply to this email, or continue the conversation in the browser you wrote from:<br><a href="https://growline.example/#support-chat">https://growline.example/#support-chat</a></p>';

/** What we know of it. */
export const SENT = {
  text: ORIGINAL,
  subject: "Growline support replied to you",
  name: "Growline",
  addresses: ["no-reply@growline.example", "token@reply.growline.example"],
  recipient: "ada@visitor.example",
};

type Shape = Pick<AnswerMail, "plain" | "html" | "parameters" | "source"> & { answer?: string };

/**
 * Returns mails that are named by program, language and what is special. `answer` and `source`: of those without one of
 * their own.
 */
export function namedMails(answer: string, mails: Record<string, Shape>, source = NOT_LOOKED_UP): AnswerMail[] {
  return Object.entries(mails).map(([name, mail]) => {
    const [program = "", language = ""] = name.split(", ");
    return { answer, source, ...mail, name, program, language };
  });
}

/** Returns the original with a mark before each line. */
export const quoted = (text = ORIGINAL) => text.replaceAll(/^(.*)$/gm, (line) => (line === "" ? ">" : `> ${line}`));

const WINDOWS_1252: Record<string, number> = {
  "€": 0x80,
  "…": 0x85,
  "‘": 0x91,
  "’": 0x92,
  "“": 0x93,
  "”": 0x94,
  "–": 0x96,
};

/** Returns the mail as it arrives. `headers`: more of them, or others for those that all have. */
export function mailSource(
  mail: Omit<AnswerMail, "name" | "answer">,
  headers: Record<string, string> = {},
): Uint8Array<ArrayBuffer> {
  const all = {
    From: "Ada <ada@visitor.example>",
    To: "Growline <token@reply.growline.example>",
    Subject: "Re: Growline support replied to you",
    Date: "Mon, 23 Nov 2026 09:12:00 +0100",
    "Message-ID": "<mail-1@visitor.example>",
    "MIME-Version": "1.0",
    ...headers,
  };
  const { plain, html } = mail;
  const parts = [
    ...(plain === undefined ? [] : [part("plain", plain, mail)]),
    ...(html === undefined ? [] : [part("html", html, mail)]),
  ];
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const [only, second] = parts;
  const body =
    second === undefined
      ? (only ?? "\r\n")
      : `Content-Type: multipart/alternative; boundary="=_b1"\r\n\r\n--=_b1\r\n${parts.join("\r\n--=_b1\r\n")}\r\n--=_b1--\r\n`;
  return Uint8Array.from(`${head.join("")}${body}`, (letter) => letter.charCodeAt(0));
}

function part(
  subtype: string,
  content: string,
  { charset = "utf-8", encoding = "8bit", parameters = "" }: Partial<AnswerMail>,
): string {
  const bytes = encode(content.replaceAll("\n", "\r\n"), charset);
  return `Content-Type: text/${subtype}; charset="${charset}"${parameters}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${transfer(bytes, encoding)}`;
}

function encode(text: string, charset: AnswerMail["charset"]): number[] {
  if (charset !== "windows-1252") return [...new TextEncoder().encode(text)];
  return Array.from(text, (letter) => WINDOWS_1252[letter] ?? letter.charCodeAt(0));
}

/** Returns text in which each letter is one byte. */
function transfer(bytes: number[], encoding: AnswerMail["encoding"]): string {
  const binary = bytes.map((byte) => String.fromCharCode(byte)).join("");
  if (encoding === "base64") return btoa(binary).replaceAll(/.{76}/g, "$&\r\n");
  if (encoding !== "quoted-printable") return binary;
  const hex = (letter: string) => `=${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  return binary
    .split("\r\n")
    .map((line) =>
      line
        .replaceAll(/[^\t\x20-\x3c\x3e-\x7e]|[\t ]$/g, hex)
        // Soft line breaks, which must not cut an encoded byte.
        .replaceAll(/(?:=[0-9A-F]{2}|[^=]){24}(?=.)/g, "$&=\r\n"),
    )
    .join("\r\n");
}
