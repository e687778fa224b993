import { type AnswerMail, ORIGINAL, quoted } from "./mail-source.ts";

/** Programs of the terminal. "Run": the program answered the original in a sandbox, and this is what it sent. */

const FROM = "Growline <no-reply@growline.example>";
const RUN = "run, as Debian 12 ships it";
const PACKAGE = "the package's default settings, as Debian 12 ships it";
const TYPED = "4711\nIt is my profile.";
const spacedQuoted = ORIGINAL.replaceAll(/^(.*)$/gm, "> $1");

const terminal = (program: string, source: string, plain: string, more: Partial<AnswerMail> = {}): AnswerMail => ({
  name: `${program}${more.name === undefined ? "" : `, ${more.name}`}`,
  program,
  language: "en",
  source,
  plain,
  answer: TYPED,
  ...(more.parameters !== undefined && { parameters: more.parameters }),
  ...(more.answer !== undefined && { answer: more.answer }),
});

export const TERMINAL: AnswerMail[] = [
  terminal(
    "Mutt 2.2.12",
    RUN,
    `${TYPED}\n\nOn Mon, Nov 23, 2026 at 09:05:00AM +0000, Growline wrote:\n${spacedQuoted}\n`,
  ),
  terminal(
    "Mutt 2.2.12",
    RUN,
    `${TYPED}\n\nOn Mon, Nov 23, 2026 at 09:05:00AM +0000, Growline wrote:\n${ORIGINAL.replaceAll(/^(.*)$/gm, ">$1")}\n`,
    { name: "with text_flowed", parameters: "; format=flowed" },
  ),
  terminal(
    "NeoMutt 20220429",
    RUN,
    `${TYPED}\n\nOn Mon, Nov 23, 2026 at 09:05:00AM +0000, Growline wrote:\n${spacedQuoted}\n`,
  ),
  terminal("Alpine 2.26", RUN, `\n\nOn Mon, 23 Nov 2026, Growline wrote:\n\n${quoted()}\n>\n${TYPED}\n`, {
    name: "with the answer below",
    parameters: "; format=flowed",
  }),
  terminal(
    "Alpine 2.26",
    "the issue's own case, which a run showed",
    `> Have they arrived?\n> \nYes, all but one.\nPlease refill that one.\n`,
    {
      name: "with the answer under a mark and a space",
      parameters: "; format=flowed",
      answer: "Yes, all but one.\nPlease refill that one.",
    },
  ),
  terminal("S-nail 14.9.24", RUN, `${FROM} wrote:\n\n${spacedQuoted}\n${TYPED}\n`, { name: "with the answer below" }),
  terminal(
    "S-nail 14.9.24",
    RUN,
    `${TYPED}\n-------- Original Message --------\n\tFrom no-reply@growline.example Mon Nov 23 09:05:00 2026\n\tFrom: ${FROM}\n\tTo: ada@visitor.example\n\tSubject: Growline support replied to you\n\tDate: Mon, 23 Nov 2026 09:05:00 +0000\n\n${ORIGINAL.replaceAll(/^(.*)$/gm, "\t$1")}\n\t\n`,
    { name: "without its settings, quoting with tabs" },
  ),
  terminal(
    "S-nail 14.9.24",
    "the manual's ~m with ~e after it",
    `Growline wrote:\n${ORIGINAL.replaceAll(/^(.*)$/gm, "\t$1")}\n\n${TYPED}\n`,
    { name: "with the answer below text quoted with tabs" },
  ),
  terminal(
    "nmh 1.8",
    RUN,
    `Growline writes:\n${quoted(ORIGINAL.replace("wrote from:", "wrote fr\nom:"))}\n>\n\n${TYPED}\n`,
    { name: "which breaks lines inside words" },
  ),
  terminal(
    "nmh 1.8",
    "mhl.reply of the package, with the answer moved up",
    `${TYPED}\n\nGrowline writes:\n${quoted()}\n`,
  ),
  terminal("mmh 0.4", PACKAGE, `[2026-11-23 09:05] ${FROM}\n${quoted()}\n\n${TYPED}\n`),
  terminal("mmh 0.4", PACKAGE, `${TYPED}\n\n[2026-11-23 09:05] ${FROM}\n${quoted()}\n`, {
    name: "with the answer above",
  }),
  terminal("aerc 0.14", PACKAGE, `${TYPED}\n\nOn Mon Nov 23, 2026 at 9:05 AM UTC, Growline wrote:\n${quoted()}\n`),
  terminal(
    "Sup 1.1",
    PACKAGE,
    `${TYPED}\n\nExcerpts from Growline's message of 2026-11-23 09:05:00 +0000:\n${quoted()}\n`,
  ),
  terminal(
    "Mew 6.8",
    PACKAGE,
    `From: ${FROM}\nSubject: Growline support replied to you\nDate: Mon, 23 Nov 2026 09:05:00 +0000\n\n${quoted()}\n\n${TYPED}\n`,
  ),
  terminal(
    "Wanderlust 2.15.9",
    PACKAGE,
    `At Mon, 23 Nov 2026 09:05:00 +0000,\nGrowline wrote:\n> \n${quoted()}\n\n${TYPED}\n`,
  ),
  terminal("VM 8.2", PACKAGE, `Growline writes:\n ${quoted().replaceAll("\n", "\n ")}\n\n${TYPED}\n`),
  terminal(
    "exmh 2.9.0",
    PACKAGE,
    `>>>>> On Mon, 23 Nov 2026, "Growline" == Growline wrote:\n\n${ORIGINAL.replaceAll(/^(.+)$/gm, "Growline> $1")}\n\n${TYPED}\n`,
  ),
  terminal(
    "Gnus with Supercite",
    "the manual of Supercite",
    `>>>>> "Growline" == Growline  <no-reply@growline.example> writes:\n\n${ORIGINAL.replaceAll(/^(.+)$/gm, " Growline> $1")}\n\n${TYPED}\n`,
  ),
  terminal("mu4e 1.8.14", PACKAGE, `${TYPED}\n\nOn Mon, Nov 23 2026, Growline wrote:\n\n${quoted()}\n`),
  terminal("Balsa 2.6.4", PACKAGE, `${TYPED}\n\nOn 11/23/2026 09:05:00 AM Mon, Growline wrote:\n${quoted()}\n`),
  terminal("Sylpheed 3.8", PACKAGE, `On Mon, 23 Nov 2026 09:05:00 +0000\n${FROM} wrote:\n\n${quoted()}\n\n${TYPED}\n`),
  terminal(
    "KMail 5.22",
    PACKAGE,
    `On Monday, November 23, 2026 9:05:00 AM UTC Growline wrote:\n${quoted()}\n\n${TYPED}\n`,
  ),
];
