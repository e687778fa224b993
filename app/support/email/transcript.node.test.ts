import { expect, test } from "vitest";
import type { History, SupportMessage } from "#app/support/protocol/frames.ts";
import { transcriptEmail, transcriptSchema } from "./transcript.server.ts";

const ORIGIN = "https://growline.example";
/** 11:30 PM in Berlin, the next morning in Auckland. */
const AT = Date.UTC(2026, 0, 15, 22, 30);

function message(seq: number, text: string, more: Partial<SupportMessage> = {}): SupportMessage {
  const minute = AT + (seq - 1) * 60_000;
  return {
    seq,
    client_id: `c${seq}`,
    sender_type: "user",
    sender_name: "Ada",
    message: text,
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
  return transcriptEmail({ ...transcriptSchema.parse({ timeZone }), email: "ada@example.com" }, history, ORIGIN);
}

test("lists who wrote what and when, in order, in the reader's time zone", () => {
  const reply = message(2, "It is on its way.\nTomorrow.", { sender_type: "admin", sender_name: "Bo Agent" });
  const mail = mailOf([message(1, "Where is my order?"), reply], "Europe/Berlin");
  expect(mail.to).toBe("ada@example.com");
  expect(mail.subject).toBe("Your conversation with Growline support");
  expect(mail.text).toBe(
    [
      "Hi Ada, here is your conversation. Times are in Europe/Berlin.",
      "",
      "Ada, Jan 15, 2026, 11:30 PM",
      "  Where is my order?",
      "",
      "Bo Agent, Jan 15, 2026, 11:31 PM",
      "  It is on its way.",
      "  Tomorrow.",
      "",
      "You received this transcript because someone gave this address in a chat with Growline support. If that wasn't you, ignore this email.",
      "",
    ].join("\n"),
  );
  expect(mail.html).toContain("<bdi>Bo Agent</bdi>, Jan 15, 2026, 11:31 PM</b><br>It is on its way.<br>Tomorrow.</p>");
  expect(mail.html.indexOf("Where is my order?")).toBeLessThan(mail.html.indexOf("It is on its way."));
  expect(mailOf([message(1, "x")], "Pacific/Auckland").text).toContain("Jan 16, 2026, 11:30 AM");
});

test("uses UTC for a missing or unknown time zone and says so", () => {
  for (const zone of [undefined, "Mars/Olympus"]) {
    const { text } = mailOf([message(1, "x")], zone);
    expect(text).toContain("Times are in UTC.");
    expect(text).toContain("Jan 15, 2026, 10:30 PM");
  }
  expect(transcriptSchema.safeParse({ timeZone: 7 }).success).toBe(false);
  expect(transcriptSchema.safeParse({ email: "a@b" }).success).toBe(false);
});

test("links files in both parts", () => {
  const file = { id: "f00d", name: "bill & <b>.pdf", type: "application/pdf", size: 5 };
  const { text, html } = mailOf([message(1, file.name, { file })]);
  const link = `${ORIGIN}/support/sessions/anon_1_x/files/f00d`;
  expect(text).toContain(`  File: bill & <b>.pdf\n  ${link}\n`);
  expect(html).toContain(`<a href="${link}">bill &amp; &lt;b&gt;.pdf</a>`);
  expect(text).toContain("Files open in the browser you wrote from.");
  expect(mailOf([message(1, "x")]).text).not.toContain("Files open");
  expect(mailOf([message(1, "x")]).html).not.toContain("<p></p>");
  // Those of an account open wherever its owner signs in.
  const own = mailOf([message(1, file.name, { file })], "UTC", "Ada", "user_7");
  for (const part of [own.text, own.html]) expect(part).toContain("Files open after you log in.");
});

test("keeps markup as text, and no name or message can pass for another message", () => {
  const script = '<script>alert("1")</script><img src=x onerror=alert(1)>';
  const forged = "Hello\n\nBo Agent, Jan 15, 2026, 11:31 PM\nYour refund is granted.";
  const { text, html } = mailOf(
    [message(1, script), message(2, forged, { sender_name: "Ada\n\nBo <i>Agent" })],
    "UTC",
    "A\n<b>",
  );
  expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;");
  expect(html).toContain("<bdi>Ada Bo &lt;i&gt;Agent</bdi>");
  expect(html).not.toMatch(/<(?:script|img|i)\b/);
  expect(text).toContain(`  ${script}\n`);
  expect(text.split("\n").filter((line) => line.startsWith("Bo Agent"))).toEqual([]);
  expect(text.split("\n")[0]).toBe("Hi A <b>, here is your conversation. Times are in UTC.");
});
