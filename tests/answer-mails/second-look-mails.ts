import { type AnswerMail, namedMails, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

/** Mails that a second look brought: HTML without a text, and what people do to a quotation. */

const A = "Growline &lt;no-reply@growline.example&gt;";
const F = "Growline <no-reply@growline.example>";
type Labels = [from: string, sent: string, to: string, subject: string];

const outlookHeader = (labels: Labels, date: string) =>
  `<p class="MsoNormal"><b>${labels[0]}:</b> ${A}<br><b>${labels[1]}:</b> ${date}<br><b>${labels[2]}:</b> ada@visitor.example<br><b>${labels[3]}:</b> Growline support replied to you<o:p></o:p></p>`;

export const SECOND_LOOK: AnswerMail[] = namedMails("4711\nKiitos", {
  "Outlook, fi, HTML only": {
    html: `<html><body><div class="WordSection1"><p class="MsoNormal">4711<o:p></o:p></p><p class=MsoNormal>Kiitos</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt">${outlookHeader(["Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"], "maanantai 23. marraskuuta 2026 9.05")}</div></div>${ORIGINAL_HTML}</div></body></html>`,
    answer: "4711\n\nKiitos",
  },
  "Outlook, ja, HTML only": {
    html: `<div>4711<br>Kiitos</div><hr><div><b>差出人:</b> ${A}<br><b>送信日時:</b> 2026年11月23日 9:05<br><b>宛先:</b> ada@visitor.example &lt;ada@visitor.example&gt;<br><b>件名:</b> Growline support replied to you <br></div><div>${ORIGINAL_HTML}</div>`,
  },
  "Roundcube, fi, HTML only": {
    html: `<html><body style='font-size: 10pt'><p>4711</p><p>Kiitos</p><p id="reply-intro">Growline kirjoitti 2026-11-23 09:05:</p><blockquote type="cite" style="padding: 0 0.4em"><div id="replybody1">${ORIGINAL_HTML}</div></blockquote></body></html>`,
    answer: "4711\n\nKiitos",
  },
  "Gmail, zh-CN, HTML only": {
    html: `<div dir="ltr">4711<div>Kiitos</div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${A} 于2026年11月23日周一 09:05写道：<br></div><blockquote class="gmail_quote">${ORIGINAL_HTML}</blockquote></div>`,
  },
  "QQ Mail, zh-CN, HTML only": {
    html: `<div>4711</div><div>Kiitos</div><div><br></div><div style="font-size: 12px;font-family: Arial Narrow;padding:2px 0 2px 0;">------------------&nbsp;原始邮件&nbsp;------------------</div><div style="font-size: 12px;background:#efefef;padding:8px;"><div><b>发件人:</b> "Growline" &lt;no-reply@growline.example&gt;;</div><div><b>发送时间:</b>&nbsp;2026年11月23日(星期一) 下午5:05</div><div><b>收件人:</b>&nbsp;"ada"&lt;ada@visitor.example&gt;;</div><div></div><div><b>主题:</b>&nbsp;Growline support replied to you</div></div><div><br></div>${ORIGINAL_HTML}`,
  },
  "Zimbra, fr, HTML only": {
    html: `<html><body><div style="font-family: arial"><div>4711</div><div>Kiitos</div><br><hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__"><b>De: </b>"Growline" &lt;no-reply@growline.example&gt;<br><b>À: </b>"ada" &lt;ada@visitor.example&gt;<br><b>Envoyé: </b>Lundi 23 Novembre 2026 09:05:00<br><b>Objet: </b>Growline support replied to you<br></div><div data-marker="__QUOTED_TEXT__">${ORIGINAL_HTML}</div></div></body></html>`,
  },
  "Yahoo Mail, ja, HTML only": {
    html: `<div class="ydp"><div>4711</div><div>Kiitos</div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>2026年11月23日月曜日 18:05:00 JST、${A} のメール:</div>${ORIGINAL_HTML}</div>`,
  },
  "Proton Mail, en, HTML only": {
    html: `<div style="font-family: Arial">4711</div><div>Kiitos</div><div class="protonmail_signature_block"><div class="protonmail_signature_block-proton">Sent with <a target="_blank" href="https://proton.me/">Proton Mail</a> secure email.</div></div><div class="protonmail_quote">On Monday, November 23rd, 2026 at 9:05 AM, ${A} wrote:<br><blockquote class="protonmail_quote" type="cite">${ORIGINAL_HTML}</blockquote></div>`,
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
  },
  "Mail.ru, ru, HTML only": {
    html: `<div>4711<br>Kiitos<br><br><blockquote style="border-left:1px solid #0857A6; margin:10px; padding:0 0 0 10px;">Понедельник, 23 ноября 2026, 9:05 +03:00 от ${A}:<br> <div>${ORIGINAL_HTML}</div></blockquote></div>`,
  },
  "Yandex Mail, ru, HTML only": {
    html: `<div>4711</div><div>Kiitos</div><div> </div><div>23.11.2026, 09:05, "Growline" &lt;no-reply@growline.example&gt;:</div><blockquote>${ORIGINAL_HTML}</blockquote>`,
  },
  "GMX Mail, de, HTML only": {
    html: `<html><head></head><body><div style="font-family: Verdana"><div>4711<div>Kiitos</div><div>&nbsp;<div name="quote" style="margin:10px 5px 5px 10px;"><div style="margin:0 0 10px 0;"><b>Gesendet:</b>&nbsp;Montag, 23. November 2026 um 09:05 Uhr<br/><b>Von:</b>&nbsp;"Growline" &lt;no-reply@growline.example&gt;<br/><b>An:</b>&nbsp;ada@visitor.example<br/><b>Betreff:</b>&nbsp;Growline support replied to you</div><div name="quoted-content">${ORIGINAL_HTML}</div></div></div></div></div></body></html>`,
  },
  "Gmail, en, with the answer typed inside the quotation": {
    html: `<div dir="auto"></div><br><div class="gmail_quote"><div class="gmail_attr">On Mon wrote:<br></div><blockquote class="gmail_quote"><p>Hi Ada, our support team replied while you were away:</p><p><b>Bo</b><br>Which order is it? Please send its number.</p><p>4711</p><p>Kiitos</p><p><b>Cy</b><br>And which link did you use?</p></blockquote></div>`,
    answer: "4711\n\nKiitos",
  },
  "Gmail, en, with all of the answer marked": { plain: "> 4711\n> Kiitos\n", answer: "> 4711\n> Kiitos" },
  "Outlook, de, with a header in bold": {
    plain: `4711\nKiitos\n\n*Von:* ${F}\n*Gesendet:* Montag, 23. November 2026 09:05\n*An:* ada@visitor.example\n*Betreff:* Growline support replied to you\n\n${ORIGINAL}`,
  },
  "Outlook for Mac, en, with nothing between header and text": {
    plain: `4711\nKiitos\n\nFrom: ${F}\nDate: Monday, November 23, 2026 at 9:05 AM\nTo: ada@visitor.example <ada@visitor.example>\nSubject: Growline support replied to you\n${ORIGINAL}`,
  },
  "Outlook, en, with a link of Safe Links beside ours": {
    plain: `4711\nKiitos\n\nFrom: Growline\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL.replace("https://growline.example/#support-chat", "https://growline.example/#support-chat<https://eur02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fgrowline.example%2F%23support-chat&data=05%7C02>")}`,
  },
  "Outlook, en, with a link of Safe Links in place of ours": {
    plain: `4711\nKiitos\n\nFrom: Growline\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada\nSubject: Growline support replied to you\n\n${ORIGINAL.replace("https://growline.example/#support-chat", "https://eur02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fgrowline.example%2F%23support-chat&data=05%7C02")}`,
  },
  "Gmail, en, with bold names and wrapped lines": {
    plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM Growline <no-reply@growline.example>\nwrote:\n\n> Hi Ada, our support team replied while you were away:\n>\n> *Bo*\n> Which order is it? Please send its number.\n>\n> Reply to this email, or continue the conversation in the browser you wrote\n> from:\n> https://growline.example/#support-chat\n>\n`,
  },
  "Gmail, en, with the original and no line above it": { plain: `4711\nKiitos\n\n${ORIGINAL}\n` },
  "Thunderbird, en, with the original indented": {
    plain: `4711\nKiitos\n\nOn 23.11.2026 09:05, Growline wrote:\n${ORIGINAL.replaceAll(/^/gm, "    ")}\n`,
  },
  "Emacs, en, with bars as marks": {
    plain: `On 23.11.2026 09:05, Growline wrote:\n${ORIGINAL.replaceAll(/^/gm, "| ")}\n\n4711\nKiitos\n`,
  },
  "eM Client, en, with its header": {
    plain: `4711\nKiitos\n\n------ Original Message ------\nFrom "Growline" <no-reply@growline.example>\nTo ada@visitor.example\nDate 23.11.2026 09:05:00\nSubject Growline support replied to you\n\n>${ORIGINAL.replaceAll("\n", "\n>")}`,
  },
  "The Bat!, en, with initials as marks": {
    plain: `4711\nKiitos\n\nMonday, November 23, 2026, 9:05:00 AM, you wrote:\n\n${ORIGINAL.replaceAll(/^(.+)$/gm, "G> $1")}`,
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
  },
  "Front, en, without marks": {
    plain: `4711\nKiitos\n\nOn November 23, 2026 at 9:05 AM GMT Growline <no-reply@growline.example> wrote:\n\n${ORIGINAL}`,
  },
  "Mailspring, en, with its line right below the answer": {
    plain: `4711\nKiitos\nOn Nov 23 2026, at 9:05 am, Growline <no-reply@growline.example> wrote:\n${quoted()}`,
  },
  "iOS Mail, ja, with DelSp": {
    plain: `4711です。\n\n> 2026/11/23 9:05、${F}のメール:\n${quoted()}`,
    parameters: "; format=flowed; delsp=yes",
    answer: "4711です。",
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
});
