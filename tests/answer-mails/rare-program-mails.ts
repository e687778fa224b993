import { type AnswerMail, namedMails, ORIGINAL, quoted } from "./mail-source.ts";

/** Plain text of programs that fewer people use. */

const F = "Growline <no-reply@growline.example>";

const headerOf = (f = "From", s = "Sent", t = "To", u = "Subject", d = "Monday, November 23, 2026 9:05 AM") =>
  `${f}: ${F}\n${s}: ${d}\n${t}: ada@visitor.example\n${u}: Growline support replied to you`;

export const RARE: AnswerMail[] = namedMails("4711\nKiitos", {
  "Outlook for Mac, en, with nothing between header and text": {
    plain: `4711\nKiitos\n\nFrom: ${F}\nDate: Monday, November 23, 2026 at 9:05 AM\nTo: ada@visitor.example <ada@visitor.example>\nSubject: Growline support replied to you\n${ORIGINAL}`,
  },
  "Emacs, en, with bars as marks": {
    plain: `On 23.11.2026 09:05, Growline wrote:\n${ORIGINAL.replaceAll(/^/gm, "| ")}\n\n4711\nKiitos\n`,
  },
  "eM Client, en, with its header": {
    plain: `4711\nKiitos\n\n------ Original Message ------\nFrom "Growline" <no-reply@growline.example>\nTo ada@visitor.example\nDate 23.11.2026 09:05:00\nSubject Growline support replied to you\n\n>${ORIGINAL.replaceAll("\n", "\n>")}`,
  },
  "The Bat!, en, with initials as marks": {
    plain: `4711\nKiitos\n\nMonday, November 23, 2026, 9:05:00 AM, you wrote:\n\n${ORIGINAL.replaceAll(/^(.+)$/gm, "G> $1")}`,
    source: "seen in mails of public lists",
  },
  "Pegasus Mail, en, with its line": {
    plain: `On 23 Nov 2026 at 9:05, Growline wrote:\n\n${quoted()}\n\n4711\nKiitos\n`,
  },
  "Postbox, en, with its lines marked": {
    plain: `4711\nKiitos\n\n> Growline <mailto:no-reply@growline.example>\n> 23 November 2026 at 09:05\n${quoted()}\n`,
  },
  "Windows Mail, en, with its signature": {
    plain: `4711\nKiitos\n\nSent from Mail for Windows\n\nFrom: Growline\nSent: Monday, November 23, 2026 9:05 AM\nTo: ada@visitor.example\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Superhuman, en, with its signature": {
    plain: `4711\nKiitos\n\nSent via Superhuman ( https://sprh.mn/?vip=ada@visitor.example )\n\nOn Mon, Nov 23, 2026 at 9:05 AM, Growline < no-reply@growline.example > wrote:\n\n> \n> ${ORIGINAL.replaceAll("\n", "\n> ")}\n`,
    source: "seen in mails of public lists",
  },
  "Front, en, without marks": {
    plain: `4711\nKiitos\n\nOn November 23, 2026 at 9:05 AM GMT Growline <no-reply@growline.example> wrote:\n\n${ORIGINAL}`,
  },
  "Mailspring, en, with its line right below the answer": {
    plain: `4711\nKiitos\nOn Nov 23 2026, at 9:05 am, Growline <no-reply@growline.example> wrote:\n${quoted()}`,
    source: "message.ts in the program's repository",
  },
  "Libero Mail, it, with its signature": {
    plain: `4711\nKiitos\n\nInviato da Libero Mail per Android\nlunedì, 23 novembre 2026, 09:05 AM +01:00 da Growline  no-reply@growline.example:\n\n${quoted()}`,
  },
  "Telekom Mail, de, with its header": {
    plain: `4711\nKiitos\n\n-----Original-Nachricht-----\nBetreff: Growline support replied to you\nDatum: 2026-11-23T09:05:00+0100\nVon: "Growline" <no-reply@growline.example>\nAn: "ada@visitor.example" <ada@visitor.example>\n\n${ORIGINAL}`,
  },
  "Rediffmail, en, with its header": {
    plain: `4711\nKiitos\n\nFrom: Growline &lt;no-reply@growline.example&gt;\nSent: Mon, 23 Nov 2026 14:35:00\nTo: ada@visitor.example\nSubject: Growline support replied to you\n${ORIGINAL}`,
  },
  "Orange Mail, fr, with its header marked": {
    plain: `4711\nKiitos\n\n> Message du 23/11/26 09:05\n> De : "Growline" \n> A : ada@visitor.example\n> Copie à : \n> Objet : Growline support replied to you\n> \n> ${ORIGINAL.replaceAll("\n", "\n> ")}`,
  },
  "La Poste, fr, with its header": {
    plain: `4711\nKiitos\n\n\n\n\nDe : "Growline"\nA : ada@visitor.example\nEnvoyé: lundi 23 Novembre 2026 09:05\nObjet : Growline support replied to you\n\n${ORIGINAL}`,
  },
  "AOL Mail, en, without marks": {
    plain: `4711\nKiitos\n\n\nIn a message dated 11/23/2026 9:05:00 AM Eastern Standard Time, no-reply@growline.example writes:\n\n \n${ORIGINAL.replaceAll(/^/gm, " ")}`,
  },
  "SFR Mail, fr, with a marked header": {
    plain: `4711\nKiitos\n\n\n> De : Growline <no-reply@growline.example>\n> Envoyé le : 23 novembre 2026 09:05\n> À : ada@visitor.example\n> Objet : Growline support replied to you\n> \n${quoted()}`,
  },
  "iCloud Mail, en, with a byte order mark": {
    plain: `4711\nKiitos\n\n> On Nov 23, 2026, at 09:05, ${F} wrote:\n> \n> \ufeff\n> ${ORIGINAL.replaceAll("\n", "\n> ")}`,
  },
  "WP Poczta, pl, without marks": {
    plain: `4711\nKiitos\n\nDnia 23 listopada 2026 09:05 ${F} napisał(a):\n\n${ORIGINAL}`,
    source: "the test mails of email-reply-parser 2.3.5",
  },
  "O2 Poczta, pl, with its line": {
    plain: `4711\nKiitos\n\nDnia 23 listopada 2026 09:05 Growline <no-reply@growline.example> napisał(a):\n\n${quoted()}`,
  },
  "Daum Mail, ko, with its header": {
    plain: `4711\nKiitos\n\n--------- 원본 메일 ---------\n보낸사람: "Growline" <no-reply@growline.example>\n받는사람: <ada@visitor.example>\n날짜: 26.11.23 18:05 GMT +0900\n제목: Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Yahoo Mail, ja, with a marked header": {
    plain: `4711\nKiitos\n\n----- Original Message -----\n> From: Growline <no-reply@growline.example>\n> To: ada@visitor.example\n> Date: 2026/11/23, Mon 18:05\n> Subject: Growline support replied to you\n> \n${quoted()}`,
  },
  "Becky!, ja, with its lines": {
    plain: `4711\nKiitos\n\nOn Mon, 23 Nov 2026 09:05:00 +0000\nGrowline <no-reply@growline.example> wrote:\n\n${quoted()}`,
  },
  "Shuriken, ja, with its line": { plain: `4711\nKiitos\n\nGrowline さんは書きました:\n${quoted()}` },
  "au Mail, ja, with its line": {
    plain: `4711\nKiitos\n\n2026/11/23 18:05 "Growline" <no-reply@growline.example>:\n${quoted()}`,
  },
  "Apple Mail, es, with its line marked": {
    plain: `4711\nKiitos\n\n> El 23 nov 2026, a las 9:05, ${F} escribió:\n> \n${quoted()}`,
  },
  "BlackBerry, en, with nothing between signature and header": {
    plain: `4711\nKiitos\nSent from my BlackBerry 10 smartphone.\n${headerOf("From", "Sent", "To", "Subject", "Monday, November 23, 2026 9:05 AM")}\n\n${ORIGINAL}`,
  },
  "Nine, en, with its header": {
    plain: `4711\nKiitos\n\n________________________________\nFrom: Growline <no-reply@growline.example>\nSent: Monday, 23 November 2026 09:05\nTo: ada@visitor.example\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Newton, en, without marks": {
    plain: `4711\nKiitos\n\nSent using Zoho Mail\n\n---- On Mon, 23 Nov 2026 09:05:00 +0000 ${F} wrote ----\n\n${ORIGINAL}`,
  },
  "Spark, en, with its line right below the answer": {
    plain: `4711\nKiitos\nOn Nov 23, 2026, 9:05 AM +0000, Growline <no-reply@growline.example>, wrote:\n${quoted()}`,
    source: "seen in mails of public lists",
  },
  "Edison Mail, en, without marks": {
    plain: `4711\nKiitos\n\nSent from Edison Mail for iOS\n\nOn Mon, Nov 23, 2026 at 9:05 AM Growline <no-reply@growline.example> wrote:\n\n${ORIGINAL}`,
  },
  "Kontact, de, with its line": {
    plain: `Am Montag, 23. November 2026, 10:05:00 CET schrieb Growline:\n${quoted()}\n\n4711\nKiitos\n`,
  },
  "Trojita, en, with its line": {
    plain: `On Monday, 23 November 2026 09:05:00 CET, Growline wrote:\n${quoted()}\n\n4711\nKiitos\n`,
    source: "MessageActionHandler.cpp in the program's repository",
  },
  "Gnus, en, with its line": { plain: `Growline <no-reply@growline.example> writes:\n\n${quoted()}\n\n4711\nKiitos\n` },
  "Notmuch, en, with the answer right below the quotation": {
    plain: `Growline <no-reply@growline.example> writes:\n\n${quoted()}\n4711\nKiitos\n`,
  },
  "Rmail, en, with the original indented": {
    plain: `   Hi Ada, our support team replied while you were away:\n\n   Bo:\n   Which order is it? Please send its number.\n\n4711\nKiitos\n`,
  },
  "Delta Chat, en, with its signature": {
    plain: `> Which order is it? Please send its number.\n\n4711\nKiitos\n\n-- \nSent with my Delta Chat Messenger: https://delta.chat\n`,
  },
  "GroupWise, en, with its line": {
    plain: `4711\nKiitos\n\n>>> Growline <no-reply@growline.example> 23.11.2026 09:05 >>>\n${ORIGINAL}`,
  },
  "Eudora, en, with its line": {
    plain: `At 09:05 AM 11/23/2026, Growline wrote:\n${quoted().replaceAll("> ", ">")}\n\n4711\nKiitos\n`,
    source: "seen in mails of public lists",
  },
  "Foxmail, zh-CN, with wide colons": {
    plain: `4711\nKiitos\n\n发件人：Growline<no-reply@growline.example>\n发送时间：2026-11-23 17:05\n主题：Growline support replied to you\n收件人："ada"<ada@visitor.example>\n\n${ORIGINAL}`,
  },
  "Aliyun Mail, zh-CN, with its header": {
    plain: `4711\nKiitos\n\n------------------------------------------------------------------\n发件人：Growline <no-reply@growline.example>\n发送时间：2026年11月23日(星期一) 17:05\n收件人：ada <ada@visitor.example>\n主　题：Growline support replied to you\n\n${ORIGINAL}`,
  },
  "HEY, en, with its line": {
    plain: `4711\nKiitos\n\nOn November 23, 2026, Growline <no-reply@growline.example> wrote:\n> ${ORIGINAL.replaceAll("\n", "\n> ")}`,
  },
  "Apple Mail, ar, with Arabic digits": {
    plain: `4711\nKiitos\n\nفي الاثنين، ٢٣ نوفمبر ٢٠٢٦ في ٩:٠٥ ص كتب Growline:\n\n${quoted()}`,
  },
  "Roundcube, th, with a Buddhist year": {
    plain: `4711\nKiitos\n\nเมื่อ 23/11/2569 09:05, Growline เขียน\n\n${quoted()}`,
  },
  "Front, en, with names in bold and links in Markdown": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${ORIGINAL.replace("Bo:", "**Bo**").replace("Cy:", "**Cy**").replace("https://growline.example/#support-chat", "[https://growline.example/#support-chat](https://growline.example/#support-chat)")}`,
  },
  "Hotmail, en, with the recipient first": {
    plain: `4711\nKiitos\n\nTo: ada@visitor.example\nFrom: no-reply@growline.example\nSubject: Growline support replied to you\nDate: Mon, 23 Nov 2026 09:05:00 +0000\n\n${ORIGINAL}`,
  },
});
