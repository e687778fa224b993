import { MINUTE_MS } from "#app/time.ts";

/** The emulator's mailboxes. Every copy has the same ones, with dates up to the present. */

export const DEMO_MAILBOX = "demo@gmail.example";
/** A second account in the same browser. */
export const SECOND_MAILBOX = "second@gmail.example";

const DEMO_MESSAGES = 250;
const SECOND_MESSAGES = 3;

/** Sender, number out of 20 messages, subjects, and the start of the message. */
const SENDERS: [from: string, weight: number, subjects: string[], begins: string][] = [
  ["Northwind Hosting <billing@hosting.example>", 2, ["Your invoice is ready", "Payment received"], "Thank you for"],
  ["Shop alerts <alerts@shop.example>", 7, ["A new order came in", "Two orders are waiting"], "Order details:"],
  ['"Maria, Studio" <maria@studio.example>', 4, ["Draft for Thursday", "Re: Draft for Thursday"], "Here is what"],
  ["The Forum <no-reply@forum.example>", 4, ["Someone replied to you", "Your week in the forum"], "Tom & Ana wrote:"],
  ["jonas@photo.example", 2, ["Pictures from Saturday"], "I sorted them,"],
  ["=?UTF-8?Q?J=C3=B6rg_Gr=C3=BCn?= <joerg@print.example>", 1, ["=?UTF-8?B?R3LDvMOfZSBhdXMgS8O2bG4=?="], "Proofs are"],
];

type Seed = {
  user_email: string;
  from: string;
  to: string;
  subject: string;
  body_text: string;
  date: string;
  label_ids: string[];
};

export function seededMessages(now = Date.now()): Seed[] {
  return [...mailbox(DEMO_MAILBOX, DEMO_MESSAGES, now), ...mailbox(SECOND_MAILBOX, SECOND_MESSAGES, now)];
}

function mailbox(user: string, size: number, now: number): Seed[] {
  const drawn = SENDERS.flatMap((sender) => Array<(typeof SENDERS)[number]>(sender[1]).fill(sender));
  let at = now - 7 * MINUTE_MS;
  return Array.from({ length: size }, (_, n) => {
    // Steps without a common factor with the lengths look random but repeat exactly.
    const [from, , subjects, begins] = drawn[(n * 7 + ((n * n) % 5)) % drawn.length] ?? SENDERS[0] ?? ["", 0, [], ""];
    const message = {
      user_email: user,
      from,
      to: user,
      subject: n % 9 === 4 ? "" : (subjects[n % subjects.length] ?? ""),
      body_text: `${begins} message ${n + 1} of ${size}.`,
      date: new Date(at).toISOString(),
      label_ids: ["INBOX"],
    };
    at -= (20 + ((n * 37) % 11) * 30 + (n % 6 === 0 ? 240 : 0)) * MINUTE_MS;
    return message;
  });
}
