import { type AnswerMail, namedMails, ORIGINAL, quoted } from "./mail-source.ts";

/** What Gmail, Outlook, Thunderbird and iOS Mail send besides the usual, and what people do to a quotation in them. */

const F = "Growline <no-reply@growline.example>";

const headerOf = (f = "From", s = "Sent", t = "To", u = "Subject", d = "Monday, November 23, 2026 9:05 AM") =>
  `${f}: ${F}\n${s}: ${d}\n${t}: ada@visitor.example\n${u}: Growline support replied to you`;

export const COMMON: AnswerMail[] = namedMails("4711\nKiitos", {
  "Gmail, en, with all of the answer marked": { plain: "> 4711\n> Kiitos\n", answer: "> 4711\n> Kiitos" },
  "Outlook, de, with a header in bold": {
    plain: `4711\nKiitos\n\n*Von:* ${F}\n*Gesendet:* Montag, 23. November 2026 09:05\n*An:* ada@visitor.example\n*Betreff:* Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Outlook, en, with a link of Safe Links beside ours": {
    plain: `4711\nKiitos\n\nFrom: Growline\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL.replace("https://growline.example/#support-chat", "https://growline.example/#support-chat<https://eur02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fgrowline.example%2F%23support-chat&data=05%7C02>")}`,
  },
  "Outlook, en, with a link of Safe Links in place of ours": {
    plain: `4711\nKiitos\n\nFrom: Growline\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL.replace("https://growline.example/#support-chat", "https://eur02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fgrowline.example%2F%23support-chat&data=05%7C02")}`,
  },
  "Gmail, en, with bold names and wrapped lines": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM Growline <no-reply@growline.example>\nwrote:\n\n> Hi Ada, our support team replied while you were away:\n>\n> *Bo*\n> Which order is it? Please send its number.\n>\n> Reply to this email, or continue the conversation in the browser you wrote\n> from:\n> https://growline.example/#support-chat\n>\n`,
    source: "the test mails of email_reply_trimmer 0.2.0",
  },
  "Gmail, en, with the original and no line above it": { plain: `4711\nKiitos\n\n${ORIGINAL}\n` },
  "Thunderbird, en, with the original indented": {
    plain: `4711\nKiitos\n\nOn 23.11.2026 09:05, Growline wrote:\n${ORIGINAL.replaceAll(/^/gm, "    ")}\n`,
  },
  "iOS Mail, ja, with DelSp": {
    plain: `4711です。\n\n> 2026/11/23 9:05、${F}のメール:\n${quoted()}`,
    parameters: "; format=flowed; delsp=yes",
    answer: "4711です。",
  },
  "Thunderbird, en, with a signature inside the quotation": {
    plain: `On 23.11.2026 09:05, Growline wrote:\n${quoted()}\n> -- \n> Growline\n\n4711\nKiitos\n`,
  },
  "Gmail, en, with a line of hyphens": { plain: "4711\n--\n4712", answer: "4711\n--\n4712" },
  "Gmail, en, with our words typed as theirs": {
    plain: `Which order is it? Please send its number.\n4711\nKiitos`,
    answer: "Which order is it? Please send its number.\n4711\nKiitos",
  },
  "Gmail, en, with a date in the line above the quotation's line": {
    plain: `I ordered on 23.11.2026\nand paid.\nGrowline writes:\n${quoted()}`,
    answer: "I ordered on 23.11.2026\nand paid.",
  },
  "Gmail, en, with a colon and a date between quotations": {
    plain: `On Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n> Which order is it? Please send its number.\n\nI wrote it on 23.11.2026 at 9:00:\n\n> And which link did you use?\n\nMine.`,
    answer:
      "> Which order is it? Please send its number.\nI wrote it on 23.11.2026 at 9:00:\n> And which link did you use?\nMine.",
  },
  "Gmail, en, with a person's own line between quotations": {
    plain: `> Which order is it? Please send its number.\n\n4711, as the seller wrote:\n\n> Ask support.\n\nSo I do.`,
    answer: "> Which order is it? Please send its number.\n4711, as the seller wrote:\n> Ask support.\nSo I do.",
  },
  "Outlook, en, with messages that we have no longer": {
    plain: `4711\nKiitos\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL.replace("Which order is it? Please send its number.", "Something else?").replace("And which link did you use?", "Or that?").replace("Cy:", "Di:").replace("Bo:", "Ed:")}`,
  },
  "Gmail, en, with the first line of ours left and an answer below": {
    plain: "> Hi Ada, our support team replied while you were away:\n\n4711\nKiitos",
  },
  "Gmail, en, with the first line of ours left, without a mark": {
    plain: "Hi Ada, our support team replied while you were away:\n\n4711\nKiitos",
  },
  "Gmail, en, with a mark before all of the answer": {
    plain: `> 4711\n> Kiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "> 4711\n> Kiitos",
  },
  "Outlook, en, with lines that look like its header": {
    plain: `Order: 4711\nDate: 23.11.2026 09:05\nPaid to: Growline\n \n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "Order: 4711\nDate: 23.11.2026 09:05\nPaid to: Growline",
  },
  "Outlook, en, with a sentence that looks like a line above a quotation": {
    plain: `I paid Growline on 23.11.2026 at 09:05\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "I paid Growline on 23.11.2026 at 09:05",
  },
  "iOS Mail, en, with a sentence that looks like a line above a quotation": {
    plain: `I paid Growline on 23.11.2026 at 09:05\n\n> On Nov 23, 2026, at 9:05 AM, ${F} wrote:\n> \n${quoted()}`,
    answer: "I paid Growline on 23.11.2026 at 09:05",
  },
  "Gmail, en, with an answer that ends as a line above a quotation": {
    plain: `Am 23.11. schrieb ich:\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "Am 23.11. schrieb ich:",
  },
  "Gmail, en, with an answer that starts as a phone's signature": {
    plain: `Sent the money from my phone\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "Sent the money from my phone",
  },
  "Outlook, en, with a link typed between the lines of a quotation without marks": {
    plain: `From: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL.replace("link did you use?", "link did you use?\nhttps://social.example/ada")}`,
    answer: "https://social.example/ada",
  },
  "Gmail, en, with our name as it is in the contacts": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM Support <no-reply@growline.example> wrote:\n\n${quoted()}`,
  },
  "Thunderbird, fi, with our name as it is in the contacts": {
    plain: `4711\nKiitos\n\nSupport kirjoitti 23.11.2026 klo 09:05:\n${quoted()}`,
  },
  "Outlook, en, with a marked header": {
    plain: `4711\nKiitos\n\n> -----Original Message-----\n> ${headerOf().replaceAll("\n", "\n> ")}\n> \n${quoted()}`,
  },
  "Outlook, es, with the old separator": {
    plain: `4711\nKiitos\n\n-----Mensaje original-----\n${headerOf("De", "Enviado el", "Para", "Asunto", "lunes, 23 de noviembre de 2026 9:05")}\n\n${ORIGINAL}`,
    source: "the test mails of email_reply_trimmer 0.2.0",
  },
  "Outlook, en, with more fields": {
    plain: `4711\nKiitos\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: ada@visitor.example\nCc: Bo <bo@visitor.example>; Di <di@visitor.example>\nSubject: RE: Growline support replied to you\nImportance: High\n\n${ORIGINAL}`,
  },
  "Outlook, en, with an address in brackets": {
    plain: `4711\nKiitos\n\nFrom: Growline [mailto:no-reply@growline.example]\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    source: "outlook.eml of talon 1.6.0",
  },
  "Gmail, en, with the original in one line": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${ORIGINAL.replaceAll(/\n+/g, " ")}`,
  },
  "Gmail, en, with the original in one marked line": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n> ${ORIGINAL.replaceAll(/\n+/g, " ")}`,
  },
  "Gmail, en, with an older answer quoted": {
    plain: `4711\nKiitos\n\nOn Tue, Nov 24, 2026 at 8:00 AM Ada <ada@visitor.example> wrote:\n\n> First answer\n>\n> On Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n>\n>> ${ORIGINAL.replaceAll("\n", "\n>> ")}`,
  },
  "Outlook, en, with an older answer quoted": {
    plain: `4711\nKiitos\n\nFrom: Ada <ada@visitor.example>\nSent: Tuesday, November 24, 2026 8:00 AM\nTo: Growline <token@reply.growline.example>\nSubject: Re: Growline support replied to you\n\nFirst answer\n\n${headerOf()}\n\n${ORIGINAL}`,
  },
  "Thunderbird, en, with a signature below the answer": {
    plain: `On Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n${quoted()}\n\n4711\nKiitos\n\n-- \nAda\nPhone 1`,
  },
  "Thunderbird, en, with a signature below the quotation": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n${quoted()}\n\n-- \nAda\nPhone 1`,
  },
  "Thunderbird, en, with the quotation cut": {
    plain: `On Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n> [...]\n> And which link did you use?\n\n4711\nKiitos`,
  },
  "Gmail, en, with the quotation hidden": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n> [Quoted text hidden]`,
  },
  "Gmail, fa, with Persian digits": {
    plain: `4711\nKiitos\n\nدر تاریخ دوشنبه ۲۳ نوامبر ۲۰۲۶،\u200f ۱۲:۳۵ Growline <\nno-reply@growline.example> نوشت:\n\n${quoted()}`,
  },
  "Thunderbird, en, folded with answers between the lines": {
    plain: `On Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n> Which order is it? Please send its \n> number.\n4711 is the \nnumber.\n> And which link did you use?\nMine.\n`,
    parameters: "; format=flowed",
    answer: "> Which order is it? Please send its number.\n4711 is the number.\n> And which link did you use?\nMine.",
  },
  "Thunderbird, en, folded with a signature": {
    plain: `4711\nKiitos\n-- \nAda \nPhone\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n> a\n`,
    parameters: "; format=flowed",
  },
  "Thunderbird, en, folded up to the line above the quotation": {
    plain: `4711 \nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n${quoted()}\n`,
    parameters: "; format=flowed",
    answer: "4711",
  },
  "Thunderbird, en, with a folded line above the quotation": {
    plain: `4711\nKiitos\n\nOn Monday, November 23, 2026 at 9:05 AM, Growline \n<no-reply@growline.example> wrote:\n${quoted()}\n`,
    parameters: "; format=flowed",
  },
  "Gmail, en, with a notice below the quotation": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}\n>\n\nThis email is confidential.`,
    answer: "4711\nKiitos\n\nThis email is confidential.",
  },
  "Gmail, en, with a list": {
    plain: `1) 4711\n2) my profile\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "1) 4711\n2) my profile",
  },
  "Gmail, en, with an emoji": {
    plain: `👍\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "👍",
  },
  "Gmail, en, with a link": {
    plain: `https://www.instagram.com/p/abc/\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "https://www.instagram.com/p/abc/",
  },
  "Outlook, en, with a wrapped subject": {
    plain: `4711\nKiitos\n\nFrom: Growline <no-reply@growline.example>\nSent: Monday, November 23, 2026 9:05 AM\nTo: ada@visitor.example\nSubject: Growline support replied to\n you\n\n${ORIGINAL}`,
  },
  "Outlook, en, with a wrapped sender": {
    plain: `4711\nKiitos\n\nFrom: Growline\n<no-reply@growline.example<mailto:no-reply@growline.example>>\nSent: Monday, November 23, 2026 9:05 AM\nTo: ada@visitor.example\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Gmail, es, with the address that takes the answer": {
    plain: `4711\nKiitos\n\nEl lun, 23 nov 2026 a las 9:05, <token@reply.growline.example> escribió:\n\n${quoted()}`,
  },
  "Gmail, en, with a colon above the original": {
    plain: `4711, and one more question:\n\n${quoted()}`,
    answer: "4711, and one more question:",
  },
  "Outlook, en, with a rule of five signs above the header": {
    plain: `4711\nKiitos\n\n_____\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Outlook, en, with a short rule right above the header": {
    plain: `4711\nKiitos\n---\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Outlook, en, with a last line in bold": {
    plain: `4711\n**Kiitos**\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "4711\n**Kiitos**",
  },
  "Gmail, en, with a last line in bold above marks": {
    plain: `4711\n__Kiitos__\n\n${quoted()}`,
    answer: "4711\n__Kiitos__",
  },
  "Gmail, en, with hyphens around the last line": {
    plain: `4711\n-- Kiitos --\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "4711\n-- Kiitos --",
  },
  "Gmail, en, with a rule between the answer and its line": {
    plain: `4711\nKiitos\n\n-----\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
  },
  "Gmail, en, with a rule above marks": { plain: `4711\nKiitos\n\n-----\n${quoted()}` },
  "Gmail, en, with a rule below its line": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n-----\n${quoted()}`,
  },
  "Gmail, en, with a rule inside the answer": {
    plain: `4711\n-----\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "4711\n-----\nKiitos",
  },
  "Outlook, en, with labels that have their values below": {
    plain: `Order:\n4711\nLink:\nhttps://social.example/ada\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "Order:\n4711\nLink:\nhttps://social.example/ada",
  },
  "Outlook, en, with a table and tabs typed": {
    plain: `| 4711 | late |\n| 4712 | late |\nLink\thttps://social.example/ada\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "| 4711 | late |\n| 4712 | late |\nLink\thttps://social.example/ada",
  },
  "Outlook, en, with a header that names the recipient and the subject only": {
    plain: `I paid Growline yesterday\n\nTo: ada@visitor.example\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "I paid Growline yesterday",
  },
  "Gmail, en, with three arrows typed": {
    plain: `>>> 4711\n>>> Kiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: ">>> 4711\n>>> Kiitos",
  },
  "Gmail, en, with a sentence about our address right above marks": {
    plain: `4711\nOn 23.11.2026 at 9:05 I wrote to no-reply@growline.example\n${quoted()}`,
    answer: "4711\nOn 23.11.2026 at 9:05 I wrote to no-reply@growline.example",
  },
  "Gmail, fi, with our name at the end of a typed line": {
    plain: `4711\nKiitos Growline\nGrowline kirjoitti 23.11.2026 klo 9:05:\n${quoted()}`,
    answer: "4711\nKiitos Growline",
  },
  "Gmail, en, with a number between hyphens": {
    plain: `---- 4711 ----\n\n${quoted()}`,
    answer: "---- 4711 ----",
  },
  "Outlook, en, with a number between hyphens": {
    plain: `---- 4711 ----\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "---- 4711 ----",
  },
  "Gmail, en, with a mark typed before one line": {
    plain: `Two orders:\n> 4711\n> 4712\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "Two orders:\n> 4711\n> 4712\nKiitos",
  },
  "Gmail, en, with a mark typed before the last line": {
    plain: `4711 please\n>>> 4712\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${F} wrote:\n\n${quoted()}`,
    answer: "4711 please\n>>> 4712",
  },
  "Outlook, en, with a mark typed before the last line": {
    plain: `4711 please\n> 4712\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
    answer: "4711 please\n> 4712",
  },
});
