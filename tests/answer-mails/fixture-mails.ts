import { type AnswerMail, namedMails, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

/** Answers after the test mails of libraries that tell an answer from its quotation. What people wrote in them is ours. */

const A = "Growline &lt;no-reply@growline.example&gt;";
const F = "Growline <no-reply@growline.example>";
const N = '"Growline" <no-reply@growline.example>';
const SUBJECT = "Growline support replied to you";
const WRAPPED = "Growline <\nno-reply@growline.example>";
/** As Exchange writes an address of an HTML mail in plain text. */
const LINKED = "Growline <no-reply@growline.example<mailto:no-reply@growline.example>>";

const above = (line: string) => ({ plain: `4711\nKiitos\n\n${line}\n\n${quoted()}\n` });
const below = (line: string) => ({ plain: `${line}\n\n${quoted()}\n\n4711\nKiitos\n` });
const unmarked = (line: string) => ({ plain: `4711\nKiitos\n\n${line}\n\n${ORIGINAL}\n` });

const TRIMMER = namedMails(
  "4711\nKiitos",
  {
    "Gmail on Android, fr, with a name in quotes": above(
      `Le 23 nov. 2026 19:03, "Growline"\n<no-reply@growline.example>\na écrit :`,
    ),
    "Gmail on Android, nl, with a wrapped verb": {
      plain: `4711\nKiitos\nOp 23 nov. 2026 05:13 schreef "Growline" <no-reply@growline.example> het\nvolgende geschreven:\n\n${quoted()}\n`,
    },
    "Gmail on Android, de, with half a day": above(`Am 23.11.2026 3:35 nachm. schrieb ${F}:`),
    "Gmail on Android, ru, with a word for the user": above(
      `23 нояб. 2026 г. 19:37 пользователь "Growline" <\nno-reply@growline.example> написал:`,
    ),
    "Gmail on Android, uk, with a year's letter": below(`23 лист. 2026 р. 20:45 ${N} пише:`),
    "Gmail on Android, pl, with no comma": above(`23 lis 2026 21:25 ${N} napisał(a):`),
    "Gmail, ru, with no time": above("понедельник, 23 ноября 2026 г. пользователь Growline написал:"),
    "Gmail, es, with no time": below("El lunes, 23 de noviembre de 2026, Growline escribió:"),
    "Gmail, pt, with a long month": above(`Em 23 de novembro de 2026 10:58, ${WRAPPED} escreveu:`),
    "Gmail, en, with a zone and no verb": above(`2026-11-23 15:36 GMT+02:00 ${WRAPPED}:`),
    "Gmail, en, with no verb, colon or time": {
      plain: `4711\nKiitos\n\n\n2026/11/23 Growline via Support <no-reply@growline.example>\n\n${quoted()}\n`,
    },
    "Inbox by Gmail, de, with the sender first": above(`${F} schrieb am Mo., 23.\nNov. 2026 um 11:53 Uhr:`),
    "K-9 Mail, de, with no date": {
      plain: `4711\nKiitos\n\n\n\n${F} schrieb:\n${quoted().replaceAll("> ", ">")}\n\n--\nDiese Nachricht wurde von meinem Android-Mobiltelefon mit K-9 Mail gesendet.\n`,
      answer: "4711\nKiitos",
    },
    "Roundcube, fr, with the answer below": {
      plain: `Le 2026-11-23 02:22, Growline a écrit :\n${quoted()}\n> \n>   *\n> \n> Links:\n> ------\n> [1] https://growline.example/#support-chat\n\n4711\nKiitos\n`,
    },
    "Zoho Mail, en, with entities in plain text": {
      plain: `4711\nKiitos\n\n\n\n\n---- On Mon, 23 Nov 2026 14:17:36 +0530 Growline&lt;no-reply@growline.example&gt; wrote ----\n\n\n         ${ORIGINAL.replaceAll("\n", "\n ")}\n`,
    },
    "Outlook Mobile, en, with a zone": {
      plain: `4711\nKiitos\n\nSent from Outlook Mobile<https://aka.example/x>\n\n\n\n\nOn Mon, Nov 23, 2026 at 12:12 AM -0800, "Growline" <no-reply@growline.example<mailto:no-reply@growline.example>> wrote:\n\n${ORIGINAL}\n`,
    },
    "Outlook, en, with bold labels below an indented rule": {
      plain: `4711\nKiitos\n\n\n ------------------------------\n\n*From:* Growline\n*Sent:* 2026-11-23\n*To:* ada@visitor.example\n*Subject:* ${SUBJECT}\n\n\n\n${ORIGINAL}\n`,
    },
    "Outlook, en-NZ, with letters for half a day": {
      plain: `4711\nKiitos\n________________________________________\nFrom: ${F}.\nSent: Monday, 23 November 2026 8:16 p.m.\nTo: Ada\nSubject: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Outlook for Mac, en, with Reply-To and links": {
      plain: `4711\nKiitos\n\nFrom: ${LINKED}\nReply-To: "Growline" <token@reply.growline.example<mailto:token@reply.growline.example>>\nDate: Monday, November 23, 2026 11:44 AM\nTo: Ada <ada@visitor.example<mailto:ada@visitor.example>>\nSubject: ${SUBJECT}\n\n\n        ${ORIGINAL.replaceAll("\n", "\n        ")}\n`,
    },
    "Outlook, it, with an address to answer": {
      plain: `4711\nKiitos\n\nDa: Growline\nRisposta: Growline / Support\nData: lunedì 23 novembre 2026 15:26\nA: Ada\nOggetto: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Outlook, de, with a short day": {
      plain: `4711\nKiitos\n\n\n-----Ursprüngliche Nachricht-----\nVon: ${F}\nGesendet: Mon 23 November 2026 11:23\nAn: Ada <ada@visitor.example>\nBetreff: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Outlook, sv, with an address in brackets": {
      plain: `4711\nKiitos\n\n\n\nFrån: Growline [mailto:no-reply@growline.example]\nSkickat: den 23 november 2026 12:22\nTill: ada@visitor.example\nÄmne: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Windows Phone, es, with invisible marks of direction": {
      plain: `4711\nKiitos\n\n-----Mensaje original-----\nDe: ${N}\nEnviado: \u200e23/\u200e11/\u200e2026 14:53\nPara: "ada" <ada@visitor.example>\nAsunto: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "iOS Mail, no, indented by Exchange": {
      plain: `4711\nKiitos\n\nSendt fra min iPad\n\nDen 23. nov. 2026 kl. 20.42 skrev ${LINKED}:\n\n        ${ORIGINAL.replaceAll("\n", "\n        ")}\n`,
    },
    "iOS Mail, pl, with its line": above(`Dnia 23 lis 2026 o godz. 00:25 ${F} napisał(a):`),
    "Apple Mail, zh-CN, with commas": {
      plain: `4711\nKiitos\n\n> 在 2026年11月23日，下午8:45，${F} 写道：\n${quoted()}\n`,
    },
    "Apple Mail, nl, with the line inside its marks": {
      plain: `4711\nKiitos\n\n\n> Op 23 nov. 2026 om 05:28 heeft ${F} het volgende geschreven:\n> \n${quoted()}\n`,
    },
    "Open-Xchange, it, with the line inside its marks": {
      plain: `4711\nKiitos\n\n\n> Il 23 novembre 2026 alle 13.16 ${F} ha scritto:\n>\n>\n${quoted()}\n`,
    },
    "Eudora, en, to the person": {
      plain: `4711\nKiitos\n\n\nAt 11/23/2026 08:32 PM, you wrote:\n${quoted().replaceAll("> ", ">")}\n`,
    },
    "Evolution, en, with a zone": {
      plain: `4711\nKiitos\nOn Mon, 2026-11-23 at 18:02 +0530, Growline wrote:\n${quoted()}\n`,
    },
  },
  "the test mails of email_reply_trimmer 0.2.0",
);

const CRISP = namedMails(
  "4711\nKiitos",
  {
    "Thunderbird, hu, with dots behind the day": above('2026.11.23. 7:31 keltezéssel, "Growline" írta:'),
    "Orange Mail, fr, below a rule": {
      plain: `4711\nKiitos\n\n====\n\nMessage du : 23/11/2026 13:20\nDe : "Growline " <no-reply@growline.example>\nA : ada@visitor.example\nCopie à : \nSujet :  ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Windows Mail, fr, with no space behind the colon": {
      plain: `4711\nKiitos\n\nDe : Growline<mailto:no-reply@growline.example>\nEnvoyé le :lundi 23 novembre 2026 09:35\nÀ : ada@visitor.example<mailto:ada@visitor.example>\nObjet :${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Windows Mail, fr, indented": {
      plain: `4711\nKiitos\n\n   De : Growline<mailto:no-reply@growline.example>\n   Envoyé le :lundi 23 novembre 2026 09:35\n   À : ada@visitor.example<mailto:ada@visitor.example>\n   Objet :${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Outlook, nl, with an address in brackets": {
      plain: `4711\nKiitos\n\nVan: Growline [mailto:no-reply@growline.example]\nVerzonden: maandag 23 november 2026 17:00\nAan: ada@visitor.example\nOnderwerp: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "WP Poczta, pl, with a word for the user": unmarked(`W dniu 2026-11-23 11:59:39 użytkownik ${F} napisał:`),
    "Yandex Mail, en, with the time first": unmarked(`11:00 AM, November 23, 2026, ${N}:`),
    "Yandex Mail, ru, without marks": unmarked(`23.11.2026, 18.30, ${N}:`),
    "Mail.ru, en, without marks": unmarked(
      "Monday, 23 November 2026, 3:32 PM +0300 from no-reply@growline.example <no-reply@growline.example>:",
    ),
    "Gmail, en, with a zone and without marks": unmarked(`2026-11-23 16:32 GMT+01:00 ${F}:`),
    "Zoho Mail, en, with no rule and no colon": unmarked(`On Mon, 23 Nov 2026 08:14:43 -0200 ${F} wrote`),
    "Gmail, en, without marks and wrapped": unmarked(`On Mon, 23 Nov 2026, 12:34 pm ${F}\nwrote:`),
    "Gmail, fr, without marks and wrapped": unmarked(`Le lun. 23 nov. 2026 à 19:42, ${F}\na écrit :`),
    "Gmail, fi, without marks": unmarked(
      "ma 23. marraskuuta 2026 klo 17.50 Growline\n<no-reply@growline.example> kirjoitti:",
    ),
    "Gmail, no, with the end of the address wrapped": above(
      "man. 23. nov. 2026 kl. 13:09 skrev Growline <no-reply@growline.example\n>:",
    ),
    "Gmail, ru, without marks": unmarked(`пн, 23 нояб. 2026 г. в 15:19, ${F}:`),
    "Gmail on Android, de, with a quote that does not close": unmarked(
      'Am 23.11.2026 21:11 schrieb "Growline <no-reply@growline.example>:',
    ),
    "BlueMail, it, without marks": unmarked(`In data 23 novembre 2026 21:11:31 ${N} ha scritto:`),
    "Airmail, pt, without marks": unmarked(
      "Em 23 de novembro de 2026 às 16:32:35, Growline (\nno-reply@growline.example) escreveu:",
    ),
    "Samsung Email, da, with its header": {
      plain: `4711\nKiitos\n\n\n-------- Oprindelig besked --------\nFra: ${F}\nDato: 23.11.2026  17.45  (GMT+01:00)\nTil: ada@visitor.example\nEmne: ${SUBJECT} \n\n${ORIGINAL}\n`,
    },
    "Samsung Email, fr, with two fields in a line": {
      plain: `4711\nKiitos\n\n\n-------- Message d'origine --------\nDe : ${F}\nDate : 23/11/26  10:46  (GMT+01:00)\nÀ : ada@visitor.example Objet : ${SUBJECT} \n\n${ORIGINAL}\n`,
    },
    "Yahoo Mail, fr, with an indented header": {
      plain: `4711\nKiitos\n\n      De : ${F}\n À : Ada <ada@visitor.example>\n Envoyé le : Lundi 23 novembre 2026 10h30\n Objet : ${SUBJECT}\n   \n\n${ORIGINAL}\n`,
    },
    "Outlook, de, with the date last": {
      plain: `4711\nKiitos\n\n-----Ursprüngliche Nachricht-----\nVon: ${F}\nAn: Ada <ada@visitor.example>\nBetreff: ${SUBJECT}\nDatum: 23.11.2026 15:00\n\n${ORIGINAL}\n`,
    },
    "Outlook for iOS, fr, with a header of another language": {
      plain: `4711\nKiitos\n\nEnvoyé à partir de Outlook pour iOS<https://aka.example/o>\n________________________________\nFrom: ${F}\nSent: Monday, November 23, 2026 11:35:12 AM\nTo: Ada <ada@visitor.example>\nSubject: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Outlook, en, with small letters and no header": {
      plain: `4711\nKiitos\n\n-----original message-----\n${ORIGINAL}\n`,
    },
  },
  "the test mails of email-reply-parser 2.3.5",
);

const TALON = namedMails(
  "4711\nKiitos",
  {
    "Airmail, sv, with the address in round brackets": unmarked(
      "Den 23 november, 2026 02:23:18, Growline (no-reply@growline.example) skrev:",
    ),
    "Airmail, no, with the address in round brackets": unmarked(
      "På 23 november 2026 på 02:23:18, Growline (no-reply@growline.example) skrev:",
    ),
    "Apple Mail, nl, without marks": unmarked(`Op 23-nov.-2026, om 13:18 heeft ${F} het volgende geschreven:`),
    "Apple Mail, fr, with links and no space before the colon": unmarked(`Le 23 nov. 2026 à 22:03, ${LINKED} a écrit:`),
    "Apple Mail, en, with no line between": {
      plain: `4711\nKiitos\n> On 23 Nov 2026, at 19:21, ${F} wrote:\n> \n${quoted()}\n`,
    },
    "Gmail, vi, with the time first": above(`Vào 14:24 23 tháng 11, 2026, ${F} đã viết:`),
    "Outlook, da, with an address alone": {
      plain: `4711\nKiitos\n\nFra: no-reply@growline.example\nSendt: 23. november 2026 12:10\nTil: Ada\nEmne: ${SUBJECT}\n\n${ORIGINAL}\n`,
    },
    "Android, en, between rules": { plain: `4711\nKiitos\n\n---- Growline wrote ----\n\n${quoted()}\n` },
    "Hotmail, en, with its header inside its marks": {
      plain: `\n4711\nKiitos\n\n> Subject: ${SUBJECT}\n> From: no-reply@growline.example\n> To: ada@visitor.example; bo@visitor.example\n> Date: Mon, 23 Nov 2026 17:44:22 +0400\n> \n${quoted()}\n \t\t \t   \t\t  `,
    },
    "Hotmail, en, HTML only": {
      html: `<html><head><style><!--\n.hmmessage P\n{\nmargin:0px;\n}\n--></style></head><body class='hmmessage'><div dir='ltr'>4711<div>Kiitos<br><br><div><hr id="stopSpelling">Date: Mon, 23 Nov 2026 13:53:45 +0400<br>Subject: ${SUBJECT}<br>From: no-reply@growline.example<br>To: ada@visitor.example<br><br><div dir="ltr">${ORIGINAL_HTML}</div></div></div></div></body></html>`,
    },
    "Zimbra 6.0.13, en, with its header": {
      plain: `4711\nKiitos \n\n----- Original Message -----\nFrom: no-reply@growline.example \nTo: ada@visitor.example, bo@visitor.example \nSent: Monday, November 23, 2026 5:44:22 PM \nSubject: ${SUBJECT} \n\n${ORIGINAL} \n`,
    },
    "Sparrow 1.5, en, with its signature": {
      plain: `4711\nKiitos \n\n-- \nAda\nSent with Sparrow (http://www.sparrowmailapp.example/?sig)\n\n\nOn Monday, November 23, 2026 at 4:55 PM, Growline wrote:\n\n${quoted()}\n\n\n`,
    },
    "AOL Mail, en, with its header": {
      plain: `4711\nKiitos\n\n\n\n-----Original Message-----\nFrom: Growline <no-reply@growline.example>\nTo: ada <ada@visitor.example>; bo <bo@visitor.example>\nSent: Mon, Nov 23, 2026 5:49 pm\nSubject: ${SUBJECT}\n\n\n${ORIGINAL}\n`,
    },
    "Windows Mail 17.5, ru, HTML only with no subject": {
      html: `<html><head><meta name="generator" content="Windows Mail 17.5.9600.20498"></head><body dir="ltr"><div data-externalstyle="false" dir="ltr"><div>4711</div><div>Kiitos<br></div><div data-signatureblock="true"><div><br></div></div><div style="padding-top: 5px; border-top-color: rgb(229, 229, 229); border-top-width: 1px; border-top-style: solid;"><div><font face="Calibri"><b>От:</b>&nbsp;<a href="mailto:no-reply@growline.example" target="_parent">Growline</a><br><b>Отправлено:</b>&nbsp;\u200eпонедельник\u200e, \u200e23\u200e \u200eноября\u200e \u200e2026\u200e г. \u200e15\u200e:\u200e05<br><b>Кому:</b>&nbsp;<a href="mailto:ada@visitor.example" target="_parent">Ada</a></font></div></div><div><br></div><div dir=""><div dir="ltr">${ORIGINAL_HTML}</div></div></div></body></html>`,
    },
    "Outlook 2003, ru, HTML only with a rule": {
      html: `<html><head><meta name=Generator content="Microsoft Word 11 (filtered medium)"></head><body lang=RU link=blue><div class=Section1><p class=MsoNormal><font size=2 color=navy><span lang=EN-US>4711<o:p></o:p></span></font></p><p class=MsoNormal><span>Kiitos<o:p></o:p></span></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div class=MsoNormal align=center style='text-align:center'><font size=3><span lang=EN-US><hr size=3 width="100%" align=center tabindex=-1></span></font></div><p class=MsoNormal><b><font size=2><span lang=EN-US>From:</span></font></b><font\nsize=2><span lang=EN-US>\nGrowline [mailto:no-reply@growline.example] <br>\n<b><span>Sent:</span></b> Monday, November 23, 2026 12:06\nPM<br>\n<b><span>To:</span></b> Ada<br>\n<b><span>Subject:</span></b> ${SUBJECT}</span></font><span\nlang=EN-US><o:p></o:p></span></p></div>${ORIGINAL_HTML}</div></body></html>`,
      answer: "4711\n\nKiitos",
    },
    "Yandex Mail, ru, HTML only in a paragraph": {
      html: `<p>4711<br />Kiitos<br /><br />23.11.2026, 14:41, "Growline" &lt;<a href="mailto:no-reply@growline.example">no-reply@growline.example</a>&gt;:</p><blockquote>${ORIGINAL_HTML}</blockquote>`,
    },
    "Mail.ru, ru, HTML only with an English date": {
      html: `<HTML><BODY><p>4711</p><p>Kiitos</p><br><br><br>Mon, 23 Nov 2026 14:00:51 +0400 от ${A}:<br>\n<blockquote style="border-left:1px solid #0857A6; margin:10px; padding:0 0 0 10px;"><div class="js-helper js-readmsg-msg"><style type="text/css"></style>${ORIGINAL_HTML}</div></blockquote><br></BODY></HTML>`,
      answer: "4711\n\nKiitos",
    },
    "Gmail, en, HTML only with the line in the quotation's element": {
      html: `<div dir="ltr"><div class="gmail_default">4711</div><div class="gmail_default">Kiitos</div></div><div class="gmail_extra"><br><br><div class="gmail_quote">On Mon, Nov 23, 2026 at 2:14 PM, Growline <span dir="ltr">&lt;<a href="mailto:no-reply@growline.example" target="_blank">no-reply@growline.example</a>&gt;</span> wrote:<br><blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex">${ORIGINAL_HTML}</blockquote></div><br></div>`,
    },
  },
  "the test mails of talon 1.6.0",
);

const QUOTEQUAIL = namedMails(
  "4711\nKiitos",
  {
    "Apple Mail, en, HTML only": {
      html: `<html><head></head><body style="word-wrap: break-word;" class="">4711<div class="">Kiitos</div><div class=""><br class=""></div><div class=""><div><blockquote type="cite" class=""><div class="">On 2026-11-23, at 23:01, Growline &lt;<a href="mailto:no-reply@growline.example" class="">no-reply@growline.example</a>&gt; wrote:</div><br class="Apple-interchange-newline"><div class="">${ORIGINAL_HTML}</div></blockquote></div><br class=""></div></body></html>`,
    },
    "iOS Mail, en, HTML only with an address that is read as an element": {
      html: `<html><head></head><body dir="auto"><div dir="ltr">4711</div><div dir="ltr">Kiitos</div><div dir="ltr"><br></div><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br>On Nov 23, 2026, at 11:30 AM, Growline <no-reply@growline.example> wrote:<br><br></div><blockquote type="cite"><div dir="ltr">${ORIGINAL_HTML}</div></blockquote></body></html>`,
    },
    "Yahoo Mail, en, HTML only with an address that is read as an element": {
      html: `<html><head></head><body><div dir="ltr">4711<br>Kiitos</div><div><br></div><div class="ydp9b1f0a55yahoo_quoted" id="ydp9b1f0a55yahoo_quoted_5894033310"><div style="font-size:13px;"><div>On Monday, November 23, 2026 at 11:30:41 AM EDT, Growline <no-reply@growline.example> wrote:</div><div><br></div><div>${ORIGINAL_HTML}</div></div></div></body></html>`,
    },
    "Gmail, en, with a space before the comma": above(`On 2026-11-23 at 17:02 , ${F}\nwrote:`),
  },
  "the tests of quotequail, May 2026",
);

export const FIXTURES: AnswerMail[] = [...TRIMMER, ...CRISP, ...TALON, ...QUOTEQUAIL];
