import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { mailSource, ORIGINAL, SENT } from "#tests/answer-mails/mail-source.ts";
import { answerText } from "./answer-text.ts";
import { outlookReactionOf, reactionOf } from "./email-reaction.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("reads the emoji of a reaction, and nothing else", () => {
  for (const emoji of ["👍", "❤️", "👩🏽‍🚒", "🇩🇪", "🎉"]) {
    expect(reactionOf(bytes(JSON.stringify({ version: 1, emoji })))).toBe(emoji);
  }
  for (const other of [
    "{}",
    "[]",
    "👍",
    '{"emoji":"yes"}',
    '{"emoji":"42"}',
    '{"emoji":1}',
    `{"emoji":"${"👍".repeat(99)}"}`,
  ]) {
    expect(reactionOf(bytes(other))).toBeNull();
  }
});

test("reads the emoji of a reaction by Outlook out of its email", async () => {
  // The plain text as three programs that read such emails test it; the HTML after the one in a thread of meta.discourse.org.
  const header = `________________________________\nFrom: Growline <no-reply@growline.example>\nSent: Monday, November 23, 2026 9:05:00 AM\nTo: Ada <ada@visitor.example>\nSubject: ${SENT.subject}`;
  const plain = `[like]  Ada Lovelace reacted to your message:\n${header}\n\n${ORIGINAL}\n`;
  const email = await PostalMime.parse(mailSource({ plain }));
  expect(outlookReactionOf(answerText(email, SENT))).toBe("👍");
  const html = `<table><tr><td><img alt="0" src="" style="height:25px"> </td>\n<td><span style="font-weight:bold">Ada Lovelace</span> <span>reacted to your message:</span></td></tr></table>`;
  const shown = answerText(await PostalMime.parse(mailSource({ html })), SENT);
  expect(shown.replaceAll(/\s+/g, " ")).toBe("Ada Lovelace reacted to your message:");
  expect(outlookReactionOf(shown)).toBeNull();
  for (const answer of [
    "[like] this is the profile",
    "[clap] Ada reacted to your message:",
    "[constructor] A reacted to your message:",
    "I [like] it",
  ]) {
    expect(outlookReactionOf(answer)).toBeNull();
  }
  expect(outlookReactionOf("[Heart] Ada reacted to your message:")).toBe("❤️");
});
