import { type AnswerMail, namedMails, ORIGINAL_HTML } from "./mail-source.ts";

/** Mails of HTML without a plain text. */

const A = "Growline &lt;no-reply@growline.example&gt;";
type Labels = [from: string, sent: string, to: string, subject: string];

const outlookHeader = (labels: Labels, date: string) =>
  `<p class="MsoNormal"><b>${labels[0]}:</b> ${A}<br><b>${labels[1]}:</b> ${date}<br><b>${labels[2]}:</b> ada@visitor.example<br><b>${labels[3]}:</b> Growline support replied to you<o:p></o:p></p>`;

export const HTML_ONLY: AnswerMail[] = namedMails("4711\nKiitos", {
  "Outlook, fi, HTML only": {
    html: `<html><body><div class="WordSection1"><p class="MsoNormal">4711<o:p></o:p></p><p class=MsoNormal>Kiitos</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt">${outlookHeader(["Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"], "maanantai 23. marraskuuta 2026 9.05")}</div></div>${ORIGINAL_HTML}</div></body></html>`,
    answer: "4711\n\nKiitos",
  },
  "Outlook, ja, HTML only": {
    html: `<div>4711<br>Kiitos</div><hr><div><b>差出人:</b> ${A}<br><b>送信日時:</b> 2026年11月23日 9:05<br><b>宛先:</b> ada@visitor.example &lt;ada@visitor.example&gt;<br><b>件名:</b> Growline support replied to you <br></div><div>${ORIGINAL_HTML}</div>`,
    source: "its header seen in a thread that a public repository holds",
  },
  "Roundcube, fi, HTML only": {
    html: `<html><body style='font-size: 10pt'><p>4711</p><p>Kiitos</p><p id="reply-intro">Growline kirjoitti 2026-11-23 09:05:</p><blockquote type="cite" style="padding: 0 0.4em"><div id="replybody1">${ORIGINAL_HTML}</div></blockquote></body></html>`,
    answer: "4711\n\nKiitos",
    source: "compose.php and the localization in the program's repository",
  },
  "Gmail, zh-CN, HTML only": {
    html: `<div dir="ltr">4711<div>Kiitos</div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${A} 于2026年11月23日周一 09:05写道：<br></div><blockquote class="gmail_quote">${ORIGINAL_HTML}</blockquote></div>`,
    source: "the line seen in mails of public lists",
  },
  "QQ Mail, zh-CN, HTML only": {
    html: `<div>4711</div><div>Kiitos</div><div><br></div><div style="font-size: 12px;font-family: Arial Narrow;padding:2px 0 2px 0;">------------------&nbsp;原始邮件&nbsp;------------------</div><div style="font-size: 12px;background:#efefef;padding:8px;"><div><b>发件人:</b> "Growline" &lt;no-reply@growline.example&gt;;</div><div><b>发送时间:</b>&nbsp;2026年11月23日(星期一) 下午5:05</div><div><b>收件人:</b>&nbsp;"ada"&lt;ada@visitor.example&gt;;</div><div></div><div><b>主题:</b>&nbsp;Growline support replied to you</div></div><div><br></div>${ORIGINAL_HTML}`,
    source: "the separators of FreeScout, August 2026",
  },
  "Zimbra, fr, HTML only": {
    html: `<html><body><div style="font-family: arial"><div>4711</div><div>Kiitos</div><br><hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__"><b>De: </b>"Growline" &lt;no-reply@growline.example&gt;<br><b>À: </b>"ada" &lt;ada@visitor.example&gt;<br><b>Envoyé: </b>Lundi 23 Novembre 2026 09:05:00<br><b>Objet: </b>Growline support replied to you<br></div><div data-marker="__QUOTED_TEXT__">${ORIGINAL_HTML}</div></div></body></html>`,
    source: "UtGetOriginalContent_data.js in the program's repository",
  },
  "Yahoo Mail, ja, HTML only": {
    html: `<div class="ydp"><div>4711</div><div>Kiitos</div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>2026年11月23日月曜日 18:05:00 JST、${A} のメール:</div>${ORIGINAL_HTML}</div>`,
  },
  "Proton Mail, en, HTML only": {
    html: `<div style="font-family: Arial">4711</div><div>Kiitos</div><div class="protonmail_signature_block"><div class="protonmail_signature_block-proton">Sent with <a target="_blank" href="https://proton.me/">Proton Mail</a> secure email.</div></div><div class="protonmail_quote">On Monday, November 23rd, 2026 at 9:05 AM, ${A} wrote:<br><blockquote class="protonmail_quote" type="cite">${ORIGINAL_HTML}</blockquote></div>`,
    source: "messageContent of ProtonMail/WebClients, and mails of public lists",
  },
  "Zoho Mail, en, HTML only": {
    html: `<div style="font-family: Verdana"><div>4711</div><div>Kiitos</div><div class="zmail_extra_hr" style="border-top: 1px solid rgb(204,204,204)"></div><div class="zmail_extra" data-zbluepencil-ignore="true"><div><br></div><div id="Zm-_Id_-Sgn1">---- On Mon, 23 Nov 2026 09:05:00 +0000 <b>Growline &lt;no-reply@growline.example&gt;</b> wrote ---<br></div><div><br></div><blockquote id="blockquote_zmail" style="margin: 0px">${ORIGINAL_HTML}</blockquote></div></div>`,
  },
  "iOS Mail, ja, HTML only": {
    html: `<html><head></head><body dir="auto">4711<div>Kiitos</div><br id="lineBreakAtBeginningOfSignature"><div dir="ltr">iPhoneから送信</div><div dir="ltr"><br><blockquote type="cite">2026/11/23 9:05、${A}のメール:<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">${ORIGINAL_HTML}</div></blockquote></body></html>`,
  },
  "Thunderbird, ru, HTML only": {
    html: `<p>4711</p><p>Kiitos</p><div class="moz-cite-prefix">23.11.2026 09:05, Growline пишет:<br></div><blockquote type="cite">${ORIGINAL_HTML}</blockquote>`,
    answer: "4711\n\nKiitos",
    source: "thunderbird.html of talon 1.6.0",
  },
  "Mail.ru, ru, HTML only": {
    html: `<div>4711<br>Kiitos<br><br><blockquote style="border-left:1px solid #0857A6; margin:10px; padding:0 0 0 10px;">Понедельник, 23 ноября 2026, 9:05 +03:00 от ${A}:<br> <div>${ORIGINAL_HTML}</div></blockquote></div>`,
    source: "mail_ru.html of talon 1.6.0",
  },
  "Yandex Mail, ru, HTML only": {
    html: `<div>4711</div><div>Kiitos</div><div> </div><div>23.11.2026, 09:05, "Growline" &lt;no-reply@growline.example&gt;:</div><blockquote>${ORIGINAL_HTML}</blockquote>`,
    source: "yandex_ru.html of talon 1.6.0",
  },
  "GMX Mail, de, HTML only": {
    html: `<html><head></head><body><div style="font-family: Verdana"><div>4711<div>Kiitos</div><div>&nbsp;<div name="quote" style="margin:10px 5px 5px 10px;"><div style="margin:0 0 10px 0;"><b>Gesendet:</b>&nbsp;Montag, 23. November 2026 um 09:05 Uhr<br/><b>Von:</b>&nbsp;"Growline" &lt;no-reply@growline.example&gt;<br/><b>An:</b>&nbsp;ada@visitor.example<br/><b>Betreff:</b>&nbsp;Growline support replied to you</div><div name="quoted-content">${ORIGINAL_HTML}</div></div></div></div></div></body></html>`,
    source: "the separators of FreeScout, August 2026",
  },
  "Gmail, en, with the answer typed inside the quotation": {
    html: `<div dir="auto"></div><br><div class="gmail_quote"><div class="gmail_attr">On Mon wrote:<br></div><blockquote class="gmail_quote"><p>Hi Ada, our support team replied while you were away:</p><p><b>Bo</b><br>Which order is it? Please send its number.</p><p>4711</p><p>Kiitos</p><p><b>Cy</b><br>And which link did you use?</p></blockquote></div>`,
    answer: "4711\n\nKiitos",
  },
  "Outlook, en, HTML only with an answer between the lines": {
    html: `<html><body dir="ltr"><div class="elementToProof">See below</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg" dir="ltr"><b>From:</b> ${A}<br><b>Sent:</b> x</div><div><p>Hi Ada, our support team replied while you were away:</p><p><b>Bo</b><br>Which order is it? Please send its number.</p><p>4711</p><p><b>Cy</b><br>And which link did you use?</p></div></body></html>`,
    answer: "See below\n\n4711",
    source: "the separators of FreeScout, August 2026",
  },
  "Gmail, en, HTML only with an indented line": {
    html: `<div dir="ltr">4711<blockquote style="margin:0 0 0 40px;border:none;padding:0px"><div>Kiitos</div></blockquote></div><br><div class="gmail_quote"><div class="gmail_attr">On Mon wrote:</div><blockquote class="gmail_quote">${ORIGINAL_HTML}</blockquote></div>`,
    answer: "4711\n\nKiitos",
  },
  "mail.com, en, HTML only": {
    html: `<html><body><div>4711</div><div>Kiitos</div><div>&nbsp;</div><div><div name="quote" style="margin:10px"><div><b>Sent:</b>&nbsp;Monday, November 23, 2026 at 9:05 AM<br/><b>From:</b>&nbsp;"Growline" &lt;no-reply@growline.example&gt;<br/><b>To:</b>&nbsp;ada@visitor.example<br/><b>Subject:</b>&nbsp;Growline support replied to you</div><div>${ORIGINAL_HTML}</div></div></div></body></html>`,
  },
  "Thunderbird, de, HTML only with answers between the lines": {
    html: `<div class="moz-cite-prefix">Am 23.11.26 um 09:05 schrieb Growline:<br></div><blockquote type="cite"><p>Hi Ada, our support team replied while you were away:</p><p><b>Bo</b><br>Which order is it? Please send its number.</p></blockquote><p>4711</p><blockquote type="cite"><p>And which link did you use?</p></blockquote><p>Kiitos</p>`,
    answer: "> Bo\n> Which order is it? Please send its number.\n4711\n> And which link did you use?\nKiitos",
  },
  "Thunderbird, en, HTML only with a signature": {
    html: `<div>4711</div><div>Kiitos</div><blockquote type="cite">${ORIGINAL_HTML}</blockquote><br><div class="moz-signature">-- <br>Ada</div>`,
  },
  "Outlook, en, HTML only with a rule": {
    html: `<html><head></head><body><div style="font-family:Calibri">4711</div><div>Kiitos</div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font><b>From:</b> ${A}<br><b>Sent:</b> Monday<br><b>To:</b> ada@visitor.example<br><b>Subject:</b> Growline support replied to you</font><div>&nbsp;</div></div><div>${ORIGINAL_HTML}</div></body></html>`,
    source: "the separators of FreeScout, August 2026",
  },
  "Outlook for Mac, de, HTML only": {
    html: `<body><div class="WordSection1"><p class="MsoNormal">4711<o:p></o:p></p><p class="MsoNormal">Kiitos<o:p></o:p></p><div id="mail-editor-reference-message-container"><div><div><div style="border:none;border-top:solid #B5C4DF 1.0pt"><p class="MsoNormal"><b><span>Von: </span></b><span>${A}<br><b>Datum: </b>Montag, 23. November 2026 um 09:05<br><b>An: </b>ada@visitor.example<br><b>Betreff: </b>Growline support replied to you<o:p></o:p></span></p></div>${ORIGINAL_HTML}</div></div></div></div></body>`,
    answer: "4711\n\nKiitos",
  },
  "Samsung Email, en, HTML only": {
    html: `<html><body><div dir="auto">4711</div><div dir="auto">Kiitos</div><div><br></div><div id="composer_signature" dir="auto"><div style="font-size:12px">Sent from my Galaxy</div></div><div><br></div><div style="font-size:100%"><!-- originalMessage --><div>-------- Original message --------</div><div>From: ${A} </div><div>Date: 23/11/2026  09:05  (GMT+00:00) </div><div>To: ada@visitor.example </div><div>Subject: Growline support replied to you </div><div><br></div></div>${ORIGINAL_HTML}</body></html>`,
    source: "the separators of FreeScout, August 2026",
  },
  "Fastmail, en, HTML only": {
    html: `<html><body><div>4711</div><div>Kiitos</div><div><br></div><div>On Mon, Nov 23, 2026, at 9:05 AM, Growline wrote:</div><blockquote type="cite" id="qt">${ORIGINAL_HTML}</blockquote><div><br></div></body></html>`,
  },
  "Tuta, en, HTML only": {
    html: `<div>4711</div><div>Kiitos</div><div><br></div><div>23 Nov 2026, 09:05 by no-reply@growline.example:<br></div><blockquote class="tutanota_quote" style="border-left: 1px solid #93A3B8">${ORIGINAL_HTML}</blockquote>`,
    source: "MailViewerViewModel.ts in the program's repository",
  },
  "K-9 Mail, de, HTML only": {
    html: `<html><body>4711<br>Kiitos<br><br><div class="gmail_quote"><div dir="auto">Am 23. November 2026 09:05:00 MEZ schrieb ${A}:</div><blockquote class="gmail_quote">${ORIGINAL_HTML}</blockquote></div></body></html>`,
    source: "HtmlQuoteCreator.java in the program's repository",
  },
});
