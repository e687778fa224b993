import { type AnswerMail, namedMails, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

/** Mails that a third look brought: programs that few use, digits of other scripts, and older answers in the quotation. */

const A = "Growline &lt;no-reply@growline.example&gt;";
const F = "Growline <no-reply@growline.example>";

const headerOf = (f = "From", s = "Sent", t = "To", u = "Subject", d = "Monday, November 23, 2026 9:05 AM") =>
  `${f}: ${F}\n${s}: ${d}\n${t}: ada@visitor.example\n${u}: Growline support replied to you`;

export const THIRD_LOOK: AnswerMail[] = namedMails("4711\nKiitos", {
  "Outlook, en, HTML only with an answer between the lines": {
    html: `<html><body dir="ltr"><div class="elementToProof">See below</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg" dir="ltr"><b>From:</b> ${A}<br><b>Sent:</b> x</div><div><p>Hi Ada, our support team replied while you were away:</p><p><b>Bo</b><br>Which order is it? Please send its number.</p><p>4711</p><p><b>Cy</b><br>And which link did you use?</p></div></body></html>`,
    answer: "See below\n\n4711",
  },
  "Gmail, en, HTML only with an indented line": {
    html: `<div dir="ltr">4711<blockquote style="margin:0 0 0 40px;border:none;padding:0px"><div>Kiitos</div></blockquote></div><br><div class="gmail_quote"><div class="gmail_attr">On Mon wrote:</div><blockquote class="gmail_quote">${ORIGINAL_HTML}</blockquote></div>`,
    answer: "4711\n\nKiitos",
  },
  "AOL Mail, en, without marks": {
    plain: `4711\nKiitos\n\n\nIn a message dated 11/23/2026 9:05:00 AM Eastern Standard Time, no-reply@growline.example writes:\n\n \n${ORIGINAL.replaceAll(/^/gm, " ")}`,
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
  },
  "Outlook, en, with more fields": {
    plain: `4711\nKiitos\n\nFrom: ${F}\nSent: Monday, November 23, 2026 9:05 AM\nTo: ada@visitor.example\nCc: Bo <bo@visitor.example>; Di <di@visitor.example>\nSubject: RE: Growline support replied to you\nImportance: High\n\n${ORIGINAL}`,
  },
  "Outlook, en, with an address in brackets": {
    plain: `4711\nKiitos\n\nFrom: Growline [mailto:no-reply@growline.example]\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL}`,
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
  "SFR Mail, fr, with a marked header": {
    plain: `4711\nKiitos\n\n\n> De : Growline <no-reply@growline.example>\n> Envoyé le : 23 novembre 2026 09:05\n> À : ada@visitor.example\n> Objet : Growline support replied to you\n> \n${quoted()}`,
  },
  "mail.com, en, HTML only": {
    html: `<html><body><div>4711</div><div>Kiitos</div><div>&nbsp;</div><div><div name="quote" style="margin:10px"><div><b>Sent:</b>&nbsp;Monday, November 23, 2026 at 9:05 AM<br/><b>From:</b>&nbsp;"Growline" &lt;no-reply@growline.example&gt;<br/><b>To:</b>&nbsp;ada@visitor.example<br/><b>Subject:</b>&nbsp;Growline support replied to you</div><div>${ORIGINAL_HTML}</div></div></div></body></html>`,
  },
  "iCloud Mail, en, with a byte order mark": {
    plain: `4711\nKiitos\n\n> On Nov 23, 2026, at 09:05, ${F} wrote:\n> \n> \ufeff\n> ${ORIGINAL.replaceAll("\n", "\n> ")}`,
  },
  "WP Poczta, pl, without marks": {
    plain: `4711\nKiitos\n\nDnia 23 listopada 2026 09:05 ${F} napisał(a):\n\n${ORIGINAL}`,
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
  },
  "Edison Mail, en, without marks": {
    plain: `4711\nKiitos\n\nSent from Edison Mail for iOS\n\nOn Mon, Nov 23, 2026 at 9:05 AM Growline <no-reply@growline.example> wrote:\n\n${ORIGINAL}`,
  },
  "Kontact, de, with its line": {
    plain: `Am Montag, 23. November 2026, 10:05:00 CET schrieb Growline:\n${quoted()}\n\n4711\nKiitos\n`,
  },
  "Trojita, en, with its line": {
    plain: `On Monday, 23 November 2026 09:05:00 CET, Growline wrote:\n${quoted()}\n\n4711\nKiitos\n`,
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
  "Gmail, fa, with Persian digits": {
    plain: `4711\nKiitos\n\nدر تاریخ دوشنبه ۲۳ نوامبر ۲۰۲۶،\u200f ۱۲:۳۵ Growline <\nno-reply@growline.example> نوشت:\n\n${quoted()}`,
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
  "Thunderbird, de, HTML only with answers between the lines": {
    html: `<div class="moz-cite-prefix">Am 23.11.26 um 09:05 schrieb Growline:<br></div><blockquote type="cite"><p>Hi Ada, our support team replied while you were away:</p><p><b>Bo</b><br>Which order is it? Please send its number.</p></blockquote><p>4711</p><blockquote type="cite"><p>And which link did you use?</p></blockquote><p>Kiitos</p>`,
    answer:
      "> Hi Ada, our support team replied while you were away:\n>\n> Bo\n> Which order is it? Please send its number.\n4711\n> And which link did you use?\nKiitos",
  },
  "Thunderbird, en, HTML only with a signature": {
    html: `<div>4711</div><div>Kiitos</div><blockquote type="cite">${ORIGINAL_HTML}</blockquote><br><div class="moz-signature">-- <br>Ada</div>`,
  },
  "Outlook, en, HTML only with a rule": {
    html: `<html><head></head><body><div style="font-family:Calibri">4711</div><div>Kiitos</div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font><b>From:</b> ${A}<br><b>Sent:</b> Monday<br><b>To:</b> ada@visitor.example<br><b>Subject:</b> Growline support replied to you</font><div>&nbsp;</div></div><div>${ORIGINAL_HTML}</div></body></html>`,
  },
  "Outlook for Mac, de, HTML only": {
    html: `<body><div class="WordSection1"><p class="MsoNormal">4711<o:p></o:p></p><p class="MsoNormal">Kiitos<o:p></o:p></p><div id="mail-editor-reference-message-container"><div><div><div style="border:none;border-top:solid #B5C4DF 1.0pt"><p class="MsoNormal"><b><span>Von: </span></b><span>${A}<br><b>Datum: </b>Montag, 23. November 2026 um 09:05<br><b>An: </b>ada@visitor.example<br><b>Betreff: </b>Growline support replied to you<o:p></o:p></span></p></div>${ORIGINAL_HTML}</div></div></div></div></body>`,
    answer: "4711\n\nKiitos",
  },
  "Samsung Email, en, HTML only": {
    html: `<html><body><div dir="auto">4711</div><div dir="auto">Kiitos</div><div><br></div><div id="composer_signature" dir="auto"><div style="font-size:12px">Sent from my Galaxy</div></div><div><br></div><div style="font-size:100%"><!-- originalMessage --><div>-------- Original message --------</div><div>From: ${A} </div><div>Date: 23/11/2026  09:05  (GMT+00:00) </div><div>To: ada@visitor.example </div><div>Subject: Growline support replied to you </div><div><br></div></div>${ORIGINAL_HTML}</body></html>`,
  },
  "Fastmail, en, HTML only": {
    html: `<html><body><div>4711</div><div>Kiitos</div><div><br></div><div>On Mon, Nov 23, 2026, at 9:05 AM, Growline wrote:</div><blockquote type="cite" id="qt">${ORIGINAL_HTML}</blockquote><div><br></div></body></html>`,
  },
  "Tuta, en, HTML only": {
    html: `<div>4711</div><div>Kiitos</div><div><br></div><div>23 Nov 2026, 09:05 by no-reply@growline.example:<br></div><blockquote class="tutanota_quote" style="border-left: 1px solid #93A3B8">${ORIGINAL_HTML}</blockquote>`,
  },
  "K-9 Mail, de, HTML only": {
    html: `<html><body>4711<br>Kiitos<br><br><div class="gmail_quote"><div dir="auto">Am 23. November 2026 09:05:00 MEZ schrieb ${A}:</div><blockquote class="gmail_quote">${ORIGINAL_HTML}</blockquote></div></body></html>`,
  },
  "Hotmail, en, with the recipient first": {
    plain: `4711\nKiitos\n\nTo: ada@visitor.example\nFrom: no-reply@growline.example\nSubject: Growline support replied to you\nDate: Mon, 23 Nov 2026 09:05:00 +0000\n\n${ORIGINAL}`,
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
});
