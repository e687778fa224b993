import { expect, test } from "vitest";
import type { History, SupportMessage } from "#app/support/protocol/frames.ts";
import { transcriptEmail, transcriptSchema } from "./transcript.ts";

const ORIGIN = "https://growline.example";
/** 23:30 in Berlin is on the day before in New York. */
const AT = Date.UTC(2026, 0, 15, 22, 30);

function said(seq: number, message: string, more: Partial<SupportMessage> = {}): SupportMessage {
  const minute = AT + (seq - 1) * 60_000;
  return {
    seq,
    client_id: `c${seq}`,
    sender_type: "user",
    sender_name: "Ada",
    message,
    created_at: minute,
    ...more,
  };
}

function mailOf(messages: SupportMessage[], timeZone = "UTC", name = "Ada", sessionId = "anon_1_x") {
  const session = {
    session_id: sessionId,
    user_name: name,
    user_email: null,
    status: "closed",
    updated_at: 1,
  } as const;
  const history: History = { epoch: "e", session, lastSeq: 9, readSeq: { user: 0, admin: 0 }, messages };
  return transcriptEmail(transcriptSchema.parse({ email: " ada@example.com ", timeZone }), history, ORIGIN);
}

test("a transcript says who wrote what and when, in order and in the reader's zone, which it names", () => {
  const answer = said(2, "It is on its way.\nTomorrow.", { sender_type: "admin", sender_name: "Bo Agent" });
  const mail = mailOf([said(1, "Where is my order?"), answer], "Europe/Berlin");
  expect(mail.to).toBe("ada@example.com");
  expect(mail.subject).toBe("Your conversation with Growline support");
  expect(mail.text).toBe(
    [
      "Hi Ada, this is what was said. Times are in Europe/Berlin.",
      "",
      "Ada, 15 Jan 2026, 23:30",
      "  Where is my order?",
      "",
      "Bo Agent, 15 Jan 2026, 23:31",
      "  It is on its way.",
      "  Tomorrow.",
      "",
    ].join("\n"),
  );
  expect(mail.html).toContain("<bdi>Bo Agent</bdi>, 15 Jan 2026, 23:31</b><br>It is on its way.<br>Tomorrow.</p>");
  expect(mail.html.indexOf("Where is my order?")).toBeLessThan(mail.html.indexOf("It is on its way."));
  expect(mailOf([said(1, "x")], "Pacific/Auckland").text).toContain("16 Jan 2026, 11:30");
});

test("a zone that is missing or unknown is UTC, and the mail says so", () => {
  for (const zone of [undefined, "Mars/Olympus"]) {
    const { text } = mailOf([said(1, "x")], zone);
    expect(text).toContain("Times are in UTC.");
    expect(text).toContain("15 Jan 2026, 22:30");
  }
  expect(transcriptSchema.safeParse({ email: "a@b", timeZone: 7 }).success).toBe(false);
  expect(transcriptSchema.safeParse({ email: "a@b", to: "c@d" }).success).toBe(false);
});

test("a file is a link to where it is, in both parts", () => {
  const file = { id: "f00d", name: "bill & <b>.pdf", type: "application/pdf", size: 5 };
  const { text, html } = mailOf([said(1, file.name, { file })]);
  const link = `${ORIGIN}/support/sessions/anon_1_x/files/f00d`;
  expect(text).toContain(`  File: bill & <b>.pdf\n  ${link}\n`);
  expect(html).toContain(`<a href="${link}">bill &amp; &lt;b&gt;.pdf</a>`);
  expect(text).toContain("Files open in the browser that you wrote from.");
  expect(mailOf([said(1, "x")]).text).not.toContain("Files open");
  expect(mailOf([said(1, "x")]).html).not.toContain("<p></p>");
  // An account's open wherever it is signed in.
  const own = mailOf([said(1, file.name, { file })], "UTC", "Ada", "user_7");
  for (const part of [own.text, own.html]) expect(part).toContain("Files open once you are signed in.");
});

test("markup in a message or a name stays text, and neither can pass for another message", () => {
  const script = '<script>alert("1")</script><img src=x onerror=alert(1)>';
  const forged = "Hello\n\nBo Agent, 15 Jan 2026, 23:31\nYour refund is granted.";
  const { text, html } = mailOf(
    [said(1, script), said(2, forged, { sender_name: "Ada\n\nBo <i>Agent" })],
    "UTC",
    "A\n<b>",
  );
  expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;");
  expect(html).toContain("<bdi>Ada Bo &lt;i&gt;Agent</bdi>");
  expect(html).not.toMatch(/<(?:script|img|i)\b/);
  expect(text).toContain(`  ${script}\n`);
  expect(text.split("\n").filter((line) => line.startsWith("Bo Agent"))).toEqual([]);
  expect(text.split("\n")[0]).toBe("Hi A <b>, this is what was said. Times are in UTC.");
});
