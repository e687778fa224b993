import { type AnswerMail, namedMails, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

/**
 * Answers after ones that stand in public archives of mailing lists (lore.kernel.org, oss-security, qemu-devel), whose header
 * names the program. The version is the one that was seen.
 */

const A = "Growline &lt;no-reply@growline.example&gt;";
const F = "Growline <no-reply@growline.example>";
const N = '"Growline" <no-reply@growline.example>';
const SUBJECT = "Growline support replied to you";
/** Marks without a space behind them. */
const tight = (text = ORIGINAL) => text.replaceAll(/^/gm, ">");
const spaced = ORIGINAL.replaceAll(/^/gm, "> ");

const HEADER = "seen in a mail of a public list whose X-Mailer or User-Agent names the program";
const QUOTED = "seen quoted in mails of public lists, as the program wrote it";

const NAMED = namedMails(
  "4711\nKiitos",
  {
    "Lotus Notes 5.0.5, en, with its header after an address": {
      plain: `4711\nKiitos\n\n\n\n\n\n\n${F}@lists.visitor.example on 11/23/2026 09:05:00 AM\n\nSent by:    no-reply@growline.example\n\n\nTo:    ada@visitor.example\ncc:\nSubject:    ${SUBJECT}\n\n\n\n${ORIGINAL}\n`,
    },
    "Lotus Notes 8.5.3, zh-TW, with the header inside its marks": {
      plain: `4711\nKiitos\n\n${N} wrote on 2026/11/23 下午 05:05:00:\n\n> ${N} \n> 2026/11/23 下午 05:05\n> \n> To\n> \n> <ada@visitor.example>, \n> \n> cc\n> \n> Subject\n> \n> ${SUBJECT}\n> \n${spaced}\n`,
    },
    "IBM Notes 10.0.1, en, with tabs in its header": {
      plain: `4711\nKiitos\n\n\n\n\nFrom:\t${F}\nTo:\t"ada@visitor.example" <ada@visitor.example>\nDate:\t23-11-2026 09:05\nSubject:\t[EXTERNAL] ${SUBJECT}\nSent by:\t"growline" <growline-bounces\n            +ada=visitor.example@growline.example>\n\n\n\n${ORIGINAL}\n`,
    },
    "IBM Notes 10.0.1, en, HTML only": {
      html: `<html><body><p><font size="2">4711</font><br><font size="2">Kiitos</font><br><br><br><img width="16" height="16" src="cid:1__=8FBB" border="0" alt="Inactive hide details for Growline ---23-11-2026 09:05:21---Hi Ada, our support team replied while you were away: Bo"><font size="2" color="#424282">Growline ---23-11-2026 09:05:21---Hi Ada, our support team replied while you were away: Bo: Which order is it?</font><br><br><font size="2" color="#5F5F5F">From:        </font><font size="2">${A}</font><br><font size="2" color="#5F5F5F">To:        </font><font size="2">&quot;ada@visitor.example&quot; &lt;ada@visitor.example&gt;</font><br><font size="2" color="#5F5F5F">Date:        </font><font size="2">23-11-2026 09:05</font><br><font size="2" color="#5F5F5F">Subject:        </font><font size="2">[EXTERNAL] ${SUBJECT}</font><br><hr width="100%" size="2" align="left" noshade style="color:#8091A5; "><br><br><br>${ORIGINAL_HTML}<BR>\n</body></html>`,
    },
    "IBM Notes 10.0.1, en, with a label typed above its blank lines": {
      plain: `4711\nOrder: 4712\n\n\n\n\nFrom:\t${F}\nTo:\tada@visitor.example\nDate:\t23-11-2026 09:05\nSubject:\t${SUBJECT}\n\n\n\n${ORIGINAL}\n`,
      answer: "4711\nOrder: 4712",
    },
    "Lotus Notes 5.0.5, en, with our address typed above its header": {
      plain: `4711\nI wrote to no-reply@growline.example\n\n\n\n\n${N}\n11/23/2026 09:05 AM\nTo:\tada@visitor.example\ncc:\nSubject:\t${SUBJECT}\n\n\n${ORIGINAL}\n`,
      answer: "4711\nI wrote to no-reply@growline.example",
    },
    "HCL Notes 11.0.1, en, with its header": {
      plain: `4711\nKiitos\n\n\n\nFrom:   ${N}\nTo:     "Ada" <ada@visitor.example>\nCc:     "Bo" <bo@visitor.example>, <di@visitor.example>, \n<ed@visitor.example>\nDate:   11/23/2026 09:05 AM\nSubject:        [EXTERNAL] ${SUBJECT}\n\n\n\n${ORIGINAL}\n\n\n\n`,
    },
    "Zimbra 8.8.12, de, with one field inside its marks": {
      plain: `----- Ursprüngliche Mail -----\n> Von: ${N}\n${spaced}\n\n4711\nKiitos\n`,
    },
    "Zimbra 8.8.15, de, with its header inside its marks": {
      plain: `----- Ursprüngliche Mail -----\n> Von: ${N}\n> An: "ada" <ada@visitor.example>, "mcoquelin stm32"\n> <bo@visitor.example>\n> Gesendet: Montag, 23. November 2026 09:05:00\n> Betreff: ${SUBJECT}\n\n${spaced}\n\n4711\nKiitos\n`,
    },
    "Yahoo Mail 0.7.218, de, with its header inside its marks": {
      plain: `4711\nKiitos\n\n--- ${F} schrieb am Mo, 23.11.2026:\n\n> Von: ${F}\n> Betreff: ${SUBJECT}\n> An: "Ada" <ada@visitor.example>\n> Datum: Montag, 23. November 2026, 9:05\n${spaced}\n\n\n      __________________________________________________________\nGesendet von Yahoo! Mail.\n`,
    },
    "Mail.ru 1.0, ru, with all marked": {
      plain: `4711\nKiitos\n\n\n>Понедельник, 23 ноября 2026, 9:05 +03:00 от ${F}:\n>\n${tight()}\n`,
    },
    "The Bat! 1.60, en, with the answer below": {
      plain: `Hello Growline,\n\nMonday, November 23, 2026, 9:05:00 AM, you wrote:\n\n${ORIGINAL.replaceAll(/^(.+)$/gm, "G> $1")}\n\n4711\nKiitos\n\n-- \ncheers,\n  Ada\n`,
      answer: "Hello Growline,\n\n4711\nKiitos",
    },
    "Eudora 5.1, en, with a tight mark": {
      plain: `At 09:05 AM 23/11/2026, Growline wrote:\n${tight()}\n\n4711\nKiitos\n`,
      parameters: "; format=flowed",
    },
    "Pegasus Mail 4.21, en, with its line": { plain: `${F} wrote:\n\n${spaced}\n\n4711\nKiitos\n` },
    "iOS Mail 22B91, de, with the answer between": {
      plain: `\n\n> Am 23.11.2026 um 09:05 schrieb ${F}:\n> \n> \ufeffHi Ada, our support team replied while you were away:\n> \n> Bo:\n> Which order is it? Please send its number.\n\n4711\nKiitos\n\n> Cy:\n> And which link did you use?\n> \n`,
    },
    "iOS Mail 23D8133, fr, with the answer below": {
      plain: `\n\n> Le 23 nov. 2026 à 09:05, ${F} a écrit :\n> \n> \ufeff${ORIGINAL.replaceAll("\n", "\n> ")}\n\n4711\nKiitos\n`,
    },
    "iOS Mail 18G82, zh-CN, with the answer below": {
      plain: `在 2026年11月23日，09:05，${F} 写道：\n> \n${spaced}\n\n4711\nKiitos\n`,
    },
    "MailMate 1.13, en, with the answer below": {
      plain: `On 23 Nov 2026, at 9:05, Growline wrote:\n\n${quoted()}\n\n4711\nKiitos\n-- \nAda\n`,
      parameters: "; markup=markdown",
    },
    "Open-Xchange 7.10.2, en, with the line inside its marks": {
      plain: `\n> On November 23, 2026 9:05 AM ${F} wrote:\n${spaced}\n\n4711\nKiitos\n`,
    },
    "Spark 2, en, with its line below a signature": {
      plain: `4711\nKiitos\nOn Nov 23, 2026, 9:05 AM +0800, ${F}, wrote:\n${spaced}\n`,
    },
    "Spark 2, en, HTML only": {
      html: `<html xmlns="http://www.w3.org/1999/xhtml"><head><title></title></head><body><div name="messageBodySection" style="font-size: 14px"><div dir="auto">4711<div dir="auto">Kiitos</div></div></div><div name="messageReplySection" style="font-size: 14px">On Nov 23, 2026, 9:05 AM +0800, ${A}, wrote:<br /><blockquote type="cite" class="spark_quote">${ORIGINAL_HTML}</blockquote></div></body></html>`,
    },
    "Zoho Mail, en, with indented marks": {
      plain: `\n\n\n---- On Mon, 23 Nov 2026 12:34:02 -0300 ${F} wrote ---\n\n${ORIGINAL.replaceAll(/^(.*)$/gm, " > $1 ")}\n\n4711\nKiitos\n\n\n`,
    },
    "Zoho Mail, en, with indented marks and no rule": {
      plain: `4711\nKiitos\n\n ---- On Mon, 23 Nov 2026 02:28:30 +0100  ${F} wrote --- \n${ORIGINAL.replaceAll(/^(.*)$/gm, " > $1 ")}\n`,
    },
    "GroupWise 18.3.1, de, with the id of the mail": {
      plain: `>>> ${F} schrieb am 23.11.2026 um 09:05\nin\nNachricht <mail-1@growline.example>:\n${spaced}\n\n4711\nKiitos\n`,
    },
    "K-9 Mail, en, with the answer below": {
      plain: `On November 23, 2026 5:25:10 PM PDT, ${F} wrote:\n${tight()}\n\n4711\nKiitos\n\n\n-- \nAda\n`,
    },
    "K-9 Mail, fi, with a month in words": {
      plain: `23. marraskuuta 2026 8.33.46 GMT+03:00 ${F} kirjoitti:\n${tight()}\n\n4711\nKiitos\n`,
      source: QUOTED,
    },
    "K-9 Mail, cs, with a zone in letters": {
      plain: `4711\nKiitos\n23. listopadu 2026 10:05:47 SEČ, ${F} napsal:\n${tight()}\n`,
      source: QUOTED,
    },
    "Fastmail 3.3, en, with the day first": {
      plain: `Hi,\n\nOn Mon, 23 Nov 2026, at 02:18, Growline wrote:\n${spaced}\n\n4711\nKiitos\n`,
      answer: "Hi,\n\n4711\nKiitos",
    },
    "Mailspring, it, with a month of another language": {
      plain: `4711\nKiitos\n\nOn nov 23 2026, at 9:05 am, ${F} wrote:\n\n${spaced}\n`,
    },
    "Superhuman Web, en, with spaces in the address": {
      plain: `4711\nKiitos\n\nOn Mon, Nov 23, 2026 at 9:05 AM, Growline < no-reply@growline.example > wrote:\n\n> \n> \n> \n${spaced.replaceAll("\n", "\n> \n> \n")}\n> \n> \n>\n`,
    },
    "Proton Mail, en, with its signature above the line": {
      plain: `4711\n\nSent with Proton Mail secure email.\n\nOn Monday, November 23rd, 2026 at 9:05 AM, ${F} wrote:\n\n${spaced}\n`,
      answer: "4711",
    },
    "Proton Mail, en, with the rule of older versions": {
      plain: `4711\nKiitos\n\nSent with Proton Mail secure email.\n\n------- Original Message -------\nOn Monday, November 23rd, 2026 at 9:05 AM, ${F} wrote:\n\n\n${spaced}\n`,
    },
    "Outlook 16, en, with a mark that somebody set": {
      plain: `On Monday, November 23, 2026 9:05 AM, Growline wrote:\n${tight()}\n\n4711\nKiitos\n--Ada\n\n`,
      answer: "4711\nKiitos\n--Ada",
    },
    "Outlook, zh-CN, with its separator": {
      plain: `4711\nKiitos\n\n-----邮件原件-----\n发件人: ${F}\n发送时间: 2026年11月23日 17:05\n收件人: Ada <ada@visitor.example>; bo@visitor.example\n抄送: di@visitor.example\n主题: ${SUBJECT}\n\n${ORIGINAL}\n`,
      source: QUOTED,
    },
    "AOL 5.0, en, with marks": {
      plain: `In a message dated 11/23/26 9:05:18 AM Eastern Standard Time, no-reply@growline.example \nwrites:\n\n${spaced}\n\n4711\nKiitos\n`,
    },
    "Apple Mail, nl, with the answer below": {
      plain: `Op 23 nov. 2026, om 09:05 heeft ${F} het volgende geschreven:\n> \n${spaced}\n\n4711\nKiitos\n`,
      source: QUOTED,
    },
    "Apple Mail, zh-CN, with a part of the day": {
      plain: `4711\nKiitos\n\n> 2026年11月23日 上午12:24，${F} 写道：\n> \n${spaced}\n`,
      source: QUOTED,
    },
    "Apple Mail, ru, with the answer above": {
      plain: `4711\nKiitos\n\n> 23 нояб. 2026 г., в 11:43, Growline <no-reply@growline.example \n> <mailto:no-reply@growline.example>> написал(а):\n> \n${spaced}\n`,
      source: QUOTED,
    },
    "GMX Mail, de, with its header inside its marks": {
      plain: `4711\nKiitos\n\n> Gesendet: Montag, 23. November 2026 um 09:05 Uhr\n> Von: ${N}\n> An: ada@visitor.example\n> Betreff: ${SUBJECT}\n>\n${quoted()}\n`,
      source: QUOTED,
    },
    "GMX Mail, de, with the answer below its header": {
      plain: `> Gesendet: Montag, 23. November 2026 um 09:05\n> Von: ${N}\n> An: ada@visitor.example\n> CC: bo@visitor.example\n> Betreff: ${SUBJECT}\n>\n${quoted()}\n\n4711\nKiitos\n`,
      source: QUOTED,
    },
    "NetEase 163 Mail for phones, en, with a table": {
      plain: `4711\nKiitos\n\n\n\n\n---- Replied Message ----\n| From | Growline<no-reply@growline.example> |\n| Date | 11/23/2026 17:05 |\n| To | ada<ada@visitor.example> |\n| Subject | ${SUBJECT} |\n${ORIGINAL}\n`,
      source: QUOTED,
    },
    "NetEase 163 Mail for phones, en, with tabs": {
      plain: `4711\nKiitos\n\n\n\n\n---- Replied Message ----\nFrom \tGrowline<no-reply@growline.example>\n<mailto:no-reply@growline.example>\nDate \t11/23/2026 17:05\nTo \tada<ada@visitor.example> <mailto:ada@visitor.example>\nSubject \t${SUBJECT}\n\n${ORIGINAL}\n`,
      source: QUOTED,
    },
    "Coremail, zh-CN, with its header": {
      plain: `4711\nKiitos\n\n\n> -----原始邮件-----\n> 发件人: ${N}\n> 发送时间: 2026-11-23 17:05:17 (星期一)\n> 收件人: "Ada" <ada@visitor.example>\n> 抄送: bo@visitor.example, di@visitor.example\n> 主题: ${SUBJECT}\n> \n${spaced}\n`,
      source: QUOTED,
    },
    "Coremail, zh-CN, with the answer below its header": {
      plain: `> -----原始邮件-----\n> 发件人: ${N}\n> 发送时间: 2026-11-23 17:05:17 (星期一)\n> 收件人: "Ada" <ada@visitor.example>\n> 主题: ${SUBJECT}\n> \n${spaced}\n\n4711\nKiitos\n`,
      source: QUOTED,
    },
    "QQ Mail, zh-CN, with the time of day in words": {
      plain: `4711\nKiitos\n\n\n\n\n------------------&nbsp;原始邮件&nbsp;------------------\n发件人: "Growline"<no-reply@growline.example&gt;;\n发送时间: 2026年11月23日(星期一) 晚上8:43\n收件人: "ada"<ada@visitor.example&gt;;\n抄送: "bo"<bo@visitor.example&gt;;\n主题: ${SUBJECT}\n\n\n\n${ORIGINAL}\n`,
      source: "seen in answers by email in threads of GitHub",
    },
    "Samsung company mail, en, with its header": {
      plain: `4711\nKiitos\n\n--------- Original Message ---------\nSender : ${F}\nDate : 2026-11-23 18:05 (GMT+9)\nTitle : ${SUBJECT}\n \n${ORIGINAL}\n`,
      source: QUOTED,
    },
    "Samsung company mail, en, with marks": {
      plain: `4711\nKiitos\n\n>  \n> --------- Original Message ---------\n> Sender : ${F}\n> Date : 2026-11-23 18:05 (GMT+9)\n> Title : ${SUBJECT}\n>  \n${spaced}\n`,
      source: QUOTED,
    },
    "Yahoo Mail, zh-TW, HTML only": {
      html: `<div class="ydp1"><div>4711</div><div>Kiitos</div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div style="font-family:Helvetica;font-size:13px;"><div>Growline (&lt;no-reply@growline.example&gt;) 在 2026年11月23日星期一 下午05:05:53 [GMT+8] 寫道：</div><div><br></div>${ORIGINAL_HTML}</div></div>`,
      source: QUOTED,
    },
    "Yahoo Mail, zh-TW, without marks": {
      plain: `4711\nKiitos\n\n\n    Growline (<no-reply@growline.example>) 在 2026年11月23日星期一 下午05:05:53 [GMT+8] 寫道：  \n \n ${ORIGINAL.replaceAll("\n", "\n ")}\n`,
      source: QUOTED,
    },
    "Yahoo Mail, el, without marks": {
      plain: `4711\nKiitos\n\nΣτις Δευτέρα, Νοεμβρίου 23, 2026, 11:23 πμ, ο χρήστης ${F} έγραψε:\n\n${ORIGINAL}\n`,
      source: QUOTED,
    },
    "Lotus Notes, en, with the name and the date in lines": {
      plain: `4711\nKiitos\n\n\n\n\n${N}\n11/23/2026 09:05 AM\nTo:\tada@visitor.example\ncc:\t \nSubject:\t${SUBJECT}\n\n\n${ORIGINAL}\n`,
      source: "seen in the published mails of a company of 2001, as programs that read them describe it",
    },
    "Lotus Notes, en, with the date behind the sender": {
      plain: `4711\nKiitos\n\n\n\n\nFrom:  ${F}                            11/23/2026 09:05 AM\n\t\n\n\nTo: ada@visitor.example\ncc:  \nSubject: ${SUBJECT}  \n\n${ORIGINAL}\n`,
      source: "seen in the published mails of a company of 2001, as programs that read them describe it",
    },
  },
  HEADER,
);

type Line = [language: string, line: string];

/** Lines of Gmail in a mail without a word in the answer that tells the language. */
const GMAIL: Line[] = [
  ["hu", `Growline <no-reply@growline.example> ezt írta (időpont: 2026. nov.\n23., H, 9:05):`],
  ["ro", `lun., 23 nov. 2026, 09:05 ${F} a scris:`],
  ["ro", `În lun., 23 nov. 2026 la 09:05, ${F} a scris:`],
  ["el", `Στις Δευ 23 Νοε 2026 στις 9:05 π.μ., ο/η Growline <\nno-reply@growline.example> έγραψε:`],
  ["el", `Στις Δευ 23 Νοε 2026 στις 9:05 ο χρήστης ${F} έγραψε:`],
  ["ar", `\u202bفي الاثنين، 23 نوفمبر 2026 في 7:58 م، تمت كتابة ما يلي بواسطة Growline\n<no-reply@growline.example>:`],
  [
    "vi",
    `Vào Th 2, 23 thg 11, 2026 vào lúc 13:30 Growline \n<no-reply@growline.example <mailto:no-reply@growline.example>> đã viết:`,
  ],
  ["fi", "ma 23. marrask. 2026 klo 12.54 Growline (no-reply@growline.example)\nkirjoitti:"],
  ["tr", "Growline, 23 Kas 2026 Pzt, 09:05 tarihinde şunu yazdı:"],
];

export const ARCHIVED: AnswerMail[] = [
  ...NAMED,
  ...namedMails(
    "4711\nKiitos",
    Object.fromEntries(
      GMAIL.map(([language, line], at) => [
        `Gmail, ${language}, with its line (${at + 1}), the answer ${at % 2 === 0 ? "above" : "below"}`,
        {
          plain: at % 2 === 0 ? `4711\nKiitos\n\n${line}\n\n${quoted()}\n` : `${line}\n${quoted()}\n\n4711\nKiitos\n`,
        },
      ]),
    ),
    QUOTED,
  ),
];
