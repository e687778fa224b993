import { MINUTE } from "../scripts/simulated-durations.ts";
import type { ChatWorld } from "../world/chat-world.ts";
import type { AccountWorld } from "../world/customers/account-world.ts";
import type { World } from "../world/open-world.ts";
import type { WorldMail } from "../world/outside/world-mail.ts";
import type { Site } from "../world/site.ts";
import type { Violation } from "./violation.ts";

const CANARY = /canary\w+?x\b/g;
/** An email that was on its way when its account was deleted. */
const IN_FLIGHT = 5 * MINUTE;

/** Every email that somebody was promised arrives in spite of the email API's faults, and nobody gets another's. */
export function judgeMail(
  site: Site,
  world: World,
  { taken, conflicts }: WorldMail,
  { accounts, chats }: { accounts: AccountWorld; chats: ChatWorld },
): Violation[] {
  const violations: Violation[] = [];
  const broken = (rule: string, subject: string, truth: unknown, product: unknown) =>
    violations.push({ rule, subject, world: truth, product });
  for (const key of conflicts) broken("an email's key has one content", key, null, null);
  for (const { to, subject, content } of taken) {
    site.count("email taken");
    const foreign = content.match(CANARY)?.find((canary) => !to.includes(canary));
    if (foreign) broken("nobody gets another's email", to, foreign, subject);
  }
  for (const { person, hasLeft } of world.customers) {
    const own = taken.filter(({ to }) => to === person.email);
    if (!hasLeft && own.length === 0) broken("whoever signs up gets an email", person.email, null, null);
  }
  for (const { email, transcripts } of chats.conversations) {
    const sent = taken.filter(({ to, subject }) => to === email && subject.startsWith("Your conversation"));
    if (sent.length < transcripts.length) broken("a promised transcript arrives", email, transcripts, sent.length);
    for (const { texts } of transcripts) {
      const isWhole = sent.some(({ content }) => texts.every((text) => textOf(content).includes(indented(text))));
      if (!isWhole) broken("a transcript has every acknowledged message", email, texts, sent.map(textOfEmail));
    }
  }
  for (const { email, at } of accounts.passwordChanges) {
    const notices = taken.filter(
      (sent) => sent.to === email && /password/i.test(sent.subject) && sent.at >= at - MINUTE,
    );
    const hasLeft = accounts.deleted.some(({ customer }) => customer.person.email === email);
    if (notices.length === 0 && !hasLeft) broken("a changed password is reported by email", email, at, null);
  }
  for (const { customer, at } of accounts.deleted) {
    const late = taken.filter((sent) => sent.to === customer.person.email && sent.at > at + IN_FLIGHT);
    if (late.length > 0) broken("a deleted person gets no emails", customer.person.email, at, late);
  }
  return violations;
}

/** Returns the plain text of an email as the API took it. */
function textOf(content: string): string {
  return (JSON.parse(content) as { text?: string }).text ?? "";
}

function textOfEmail({ content }: { content: string }): string {
  return textOf(content).slice(0, 500);
}

/** Returns a message as it stands in the plain text, below its author's name. */
function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
