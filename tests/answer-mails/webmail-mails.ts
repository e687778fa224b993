import { type AnswerMail, NOT_LOOKED_UP, ORIGINAL, quoted } from "./mail-source.ts";

/** Lines above a quotation of web mail and phones, without a word that several of them share. */

const FROM = "Growline <no-reply@growline.example>";
const WRAPPED = "Growline <\nno-reply@growline.example>";

const QUOTED = "seen quoted in mails of public lists, as the program wrote it";
/** Where a line is known from, by program and language. */
const SOURCES: Record<string, string> = {
  "Gmail, ar": "the tests of a program that reads answers, which a public repository holds",
  "Gmail, cs": "the delimiters of the library Envelop",
  "Gmail, fi": QUOTED,
  "Gmail, hu": QUOTED,
  "Gmail, id": "a mail that a public repository holds as Gmail gave it",
  "Gmail, ko": QUOTED,
  "Gmail, pl": QUOTED,
  "Gmail, ru": "the test mails of email-reply-parser 2.3.5",
  "Gmail, tr": QUOTED,
  "Gmail, vi": QUOTED,
  "Gmail, zh-CN": QUOTED,
  "Gmail, zh-TW": QUOTED,
  "Mail.ru, ru": QUOTED,
  "Yandex Mail, ru": "yandex_ru.html of talon 1.6.0",
  "Tuta, en": "MailViewerViewModel.ts in the program's repository",
  "K-9 Mail, de": "strings.xml in the program's repository",
  "Zimbra, fr": "ZmMsg_fr.properties in the program's repository",
  "SOGo, en": "the reply template in the program's repository",
  "Zoho Mail, en": QUOTED,
  "iOS Mail, zh-CN": QUOTED,
  "iOS Mail, ru": QUOTED,
  "Proton Mail, en": QUOTED,
};

type Row = [program: string, language: string, line: string, answer: string];

const GMAIL_LINES: Row[] = [
  ["Gmail", "zh-CN", `${FROM} 于2026年11月23日周一 09:05写道：`, "订单是4711。"],
  ["Gmail", "zh-TW", `${FROM} 於 2026年11月23日週一 上午9:05寫道：`, "訂單是4711。"],
  ["Gmail", "ru", `пн, 23 нояб. 2026 г. в 09:05, ${FROM}:`, "Заказ 4711."],
  ["Gmail", "pl", `pon., 23 lis 2026 o 09:05 ${WRAPPED} napisał(a):`, "To zamówienie 4711."],
  ["Gmail", "tr", `${FROM}, 23 Kas 2026 Pzt, 09:05 tarihinde\nşunu yazdı:`, "Sipariş 4711."],
  ["Gmail", "he", `‫בתאריך יום ב׳, 23 בנוב׳ 2026 ב-9:05 מאת ‪Growline‬‏ <‪\nno-reply@growline.example‬‏>:‬`, "הזמנה 4711."],
  ["Gmail", "ar", `في الاثنين، 23 نوفمبر 2026 في 9:05 ص تمت كتابة ما يلي بواسطة ${WRAPPED}:`, "الطلب 4711"],
  ["Gmail", "ko", `2026년 11월 23일 (월) 오전 9:05, ${FROM}님이 작성:`, "주문은 4711입니다."],
  ["Gmail", "cs", `po 23. 11. 2026 v 9:05 odesílatel ${WRAPPED} napsal:`, "Objednávka 4711."],
  ["Gmail", "fi", `ma 23.11.2026 klo 9.05 Growline (no-reply@growline.example) kirjoitti:`, "Tilaus on 4711."],
  ["Gmail", "vi", `Vào Th 2, 23 thg 11, 2026 vào lúc 09:05 ${WRAPPED} đã viết:`, "Đơn hàng 4711."],
  ["Gmail", "id", `Pada Sen, 23 Nov 2026 pukul 09.05 ${WRAPPED} menulis:`, "Pesanan 4711."],
  ["Gmail", "th", `ในวันที่ จ. 23 พ.ย. 2026 เวลา 09:05 ${WRAPPED} เขียนว่า:`, "คำสั่งซื้อ 4711"],
  ["Gmail", "hu", `Growline <no-reply@growline.example> ezt írta (időpont: 2026. nov. 23.,\nH, 9:05):`, "A 4711-es."],
  ["Mail.ru", "ru", `Понедельник, 23 ноября 2026, 9:05 +03:00 от ${FROM}:`, "Заказ 4711."],
  ["Yandex Mail", "ru", `23.11.2026, 09:05, "Growline" <no-reply@growline.example>:`, "Заказ 4711."],
  ["Fastmail", "en", "On Mon, Nov 23, 2026, at 9:05 AM, Growline wrote:", "Order 4711."],
  ["Tuta", "en", "23 Nov 2026, 09:05 by no-reply@growline.example:", "Order 4711."],
  ["K-9 Mail", "de", `Am 23. November 2026 09:05:00 MEZ schrieb ${FROM}:`, "Bestellung 4711."],
  ["Zimbra", "fr", "----- Le 23 Nov 26, à 9:05, Growline no-reply@growline.example a écrit :", "Commande 4711."],
  ["SOGo", "en", `On Monday, November 23, 2026 09:05 UTC, ${FROM} wrote:`, "Order 4711."],
  ["Himalaya", "en", `On Mon, 23 Nov 2026 09:05:00 +0000, ${FROM} wrote:`, "Order 4711."],
];

const UNMARKED: Row[] = [
  ["Zoho Mail", "en", `---- On Mon, 23 Nov 2026 09:05:00 +0000 ${FROM} wrote ---`, "Order 4711."],
  ["Gmail", "zh-CN", `${FROM} 于2026年11月23日周一 09:05写道：`, "订单是4711。"],
  ["Yahoo Mail", "ja", `2026年11月23日月曜日 18:05:00 JST、${FROM} のメール:`, "4711です。"],
];

const PHONES: Row[] = [
  ["iOS Mail", "zh-CN", `2026年11月23日 09:05，${FROM} 写道：`, "订单是4711。\n\n发自我的 iPhone"],
  ["iOS Mail", "ja", `2026/11/23 9:05、${FROM}のメール:`, "4711です。\n\niPhoneから送信"],
  [
    "iOS Mail",
    "fi",
    `Growline <no-reply@growline.example> kirjoitti 23.11.2026 kello 9.05:`,
    "Tilaus 4711.\n\nLähetetty iPhonesta",
  ],
  ["iOS Mail", "ru", `23 нояб. 2026 г., в 09:05, ${FROM} написал(а):`, "Заказ 4711.\n\nОтправлено с iPhone"],
  [
    "iOS Mail",
    "pl",
    `Wiadomość napisana przez ${FROM} w dniu 23.11.2026, o godz. 09:05:`,
    "4711.\n\nWysłane z iPhone’a",
  ],
  [
    "Proton Mail",
    "en",
    `On Monday, November 23rd, 2026 at 9:05 AM, ${FROM} wrote:`,
    "Order 4711.\n\nSent with Proton Mail secure email.",
  ],
];

const mail = ([program, language, , typed]: Row, plain: string, how: string): AnswerMail => ({
  name: `${program}, ${language}, ${how}`,
  program,
  language,
  source: SOURCES[`${program}, ${language}`] ?? NOT_LOOKED_UP,
  plain,
  encoding: "base64",
  answer: typed.split("\n")[0] ?? "",
});

export const WEBMAIL: AnswerMail[] = [
  ...GMAIL_LINES.map((row) => mail(row, `${row[3]}\n\n${row[2]}\n\n${quoted()}\n`, "with its line")),
  ...UNMARKED.map((row) => mail(row, `${row[3]}\n\n${row[2]}\n\n${ORIGINAL}\n`, "without marks")),
  ...PHONES.map((row) => mail(row, `${row[3]}\n\n> ${row[2]}\n> \n${quoted()}\n`, "with its signature")),
  {
    name: "Gmail, a line of ours wrapped behind its mark",
    program: "Gmail",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `On Mon, Nov 23, 2026 at 9:05 AM ${FROM} wrote:\n\n${quoted().replace("in the browser you ", "in the browser you\n")}\n\nOrder 4711.\n`,
    answer: "Order 4711.",
  },
  {
    name: "somebody who fills in a form above a quotation",
    program: "Gmail",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `Order: 4711\nPaid to: Growline\nDate: 23.11.2026 09:05\nEmail: ada@visitor.example\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${FROM} wrote:\n\n${quoted()}\n`,
    answer: "Order: 4711\nPaid to: Growline\nDate: 23.11.2026 09:05\nEmail: ada@visitor.example",
  },
  {
    name: "somebody whose last sentence names us, a date and a time",
    program: "Gmail",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `I paid Growline on 23.11.2026 at 09:05.\n\n${quoted()}\n`,
    answer: "I paid Growline on 23.11.2026 at 09:05.",
  },
  {
    name: "somebody whose last line begins as a phone's signature",
    program: "Gmail",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `Order 4711.\n\nSent from my bank account yesterday.\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${FROM} wrote:\n\n${quoted()}\n`,
    answer: "Order 4711.\n\nSent from my bank account yesterday.",
  },
];
