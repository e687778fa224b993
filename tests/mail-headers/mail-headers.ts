import reported from "./reported-headers.jsonl?raw";
import written from "./written-headers.jsonl?raw";

/**
 * Headers as real programs wrote them, folded where they folded, and what they say.
 *
 * Those of written-headers.jsonl were written in November 2026 by programs that ran for it: Debian 12's packages, in a folder
 * that mmdebstrap had filled, and npm's. Each was given the same names, addresses and subjects, by its function that writes a
 * header, or by a mail that it handed to a `sendmail` which only kept it. Of Thunderbird it was the jsmime of its omni.ja in
 * Node, of Evolution and GMime their libraries through GObject introspection, of Sylpheed `conv_encode_header` of its library
 * through ctypes, of Gnus `message-make-from` and `rfc2047-encode-message-header`, of Mailman `munged_headers` of a list
 * that was made up. Expected is what the program was given, or, where it loses something, what its header says.
 *
 * Those of reported-headers.jsonl stand in public reports and lists. Names, addresses and texts are ours, encoded, cut and
 * folded as there.
 */
export type MailHeader = {
  program: string;
  /** The function or setting that wrote it. */
  how?: string;
  /** Of the name or the subject. None: English. */
  language?: string;
  from?: string;
  email?: string;
  name?: string;
  subject?: string;
  text?: string;
  /** Where a header stands that we read. */
  source?: string;
  /** Why it is not yet read as it was meant. */
  stillWrong?: string;
};

export const WRITTEN = rowsOf(written);
export const REPORTED = rowsOf(reported);

/** Returns a header as the Gmail API does: on one line, with its encoded words as they were. */
export function unfolded(header: string): string {
  return header.replaceAll(/\r?\n(?=[ \t])/g, "");
}

function rowsOf(lines: string): MailHeader[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
