import { type AnswerMail, NOT_LOOKED_UP, ORIGINAL, quoted } from "./mail-source.ts";

/** Quotations below a header, in the languages of the programs. */

/** Where the labels of Outlook are known from, by language. */
const SOURCES: Record<string, string> = {
  da: "the tests of talon 1.6.0",
  ja: "seen in a thread that a public repository holds",
  nl: "the test mails of email-reply-parser 2.3.5",
  sv: "the tests of talon 1.6.0",
  "zh-CN": "seen quoted in mails of public lists",
};

type Labels = [
  language: string,
  labels: [from: string, sent: string, to: string, subject: string],
  date: string,
  answer: string,
];

const OUTLOOK_LABELS: Labels[] = [
  ["fi", ["Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"], "maanantai 23. marraskuuta 2026 9.05", "Tilaus on 4711."],
  ["pl", ["Od", "Wysłano", "Do", "Temat"], "poniedziałek, 23 listopada 2026 09:05", "To zamówienie 4711."],
  ["cs", ["Od", "Odesláno", "Komu", "Předmět"], "pondělí 23. listopadu 2026 9:05", "Objednávka 4711."],
  ["tr", ["Kimden", "Gönderildi", "Kime", "Konu"], "23 Kasım 2026 Pazartesi 09:05", "Sipariş 4711."],
  ["ru", ["От", "Отправлено", "Кому", "Тема"], "23 ноября 2026 г. 9:05", "Заказ 4711."],
  ["uk", ["Від", "Надіслано", "Кому", "Тема"], "23 листопада 2026 р. 9:05", "Замовлення 4711."],
  ["zh-CN", ["发件人", "发送时间", "收件人", "主题"], "2026年11月23日 9:05", "订单是4711。"],
  ["zh-TW", ["寄件者", "寄件日期", "收件者", "主旨"], "2026年11月23日 上午 09:05", "訂單是4711。"],
  ["ja", ["差出人", "送信日時", "宛先", "件名"], "2026年11月23日月曜日 9:05", "4711です。"],
  ["ko", ["보낸 사람", "보낸 날짜", "받는 사람", "제목"], "2026년 11월 23일 월요일 오전 9:05", "주문은 4711입니다."],
  ["da", ["Fra", "Sendt", "Til", "Emne"], "23. november 2026 09:05", "Ordren er 4711."],
  ["sv", ["Från", "Skickat", "Till", "Ämne"], "den 23 november 2026 09:05", "Ordern är 4711."],
  ["nl", ["Van", "Verzonden", "Aan", "Onderwerp"], "maandag 23 november 2026 09:05", "Bestelling 4711."],
  ["hu", ["Feladó", "Elküldve", "Címzett", "Tárgy"], "2026. november 23., hétfő 9:05", "A 4711-es."],
  ["el", ["Από", "Στάλθηκε", "Προς", "Θέμα"], "Δευτέρα, 23 Νοεμβρίου 2026 9:05 πμ", "Η παραγγελία 4711."],
  ["he", ["מאת", "נשלח", "אל", "נושא"], "יום שני 23 נובמבר 2026 09:05", "הזמנה 4711."],
  ["ar", ["من", "تم الإرسال", "إلى", "الموضوع"], "23/نوفمبر/2026 09:05 ص", "الطلب 4711"],
  ["ro", ["De la", "Trimis", "Către", "Subiect"], "luni, 23 noiembrie 2026 09:05", "Comanda 4711."],
];

const FROM = "Growline <no-reply@growline.example>";
const SUBJECT = "Growline support replied to you";

export const HEADED: AnswerMail[] = [
  ...OUTLOOK_LABELS.map(([language, [from, sent, to, subject], date, answer], at): AnswerMail => {
    const fields = [
      `${from}: ${at % 2 === 0 ? FROM : "Growline"}`,
      `${sent}: ${date}`,
      `${to}: ${at % 2 === 0 ? "ada@visitor.example" : "Ada <ada@visitor.example>"}`,
      `${subject}: ${SUBJECT}`,
    ];
    const rule = at % 3 === 0 ? "________________________________\n" : "";
    return {
      name: `Outlook, ${language}, with its header`,
      program: "Outlook",
      language,
      source: SOURCES[language] ?? NOT_LOOKED_UP,
      plain: `${answer}\n\n${rule}${fields.join("\n")}\n\n${ORIGINAL}\n`,
      encoding: "base64",
      answer,
    };
  }),
  {
    name: "Outlook, Finnish, with answers between the lines of a quotation without marks",
    program: "Outlook",
    language: "fi",
    source: NOT_LOOKED_UP,
    plain: `Vastaukset alla.\n\nLähettäjä: ${FROM}\nLähetetty: maanantai 23. marraskuuta 2026 9.05\nVastaanottaja: ada@visitor.example\nAihe: ${SUBJECT}\n\nHi Ada, our support team replied while you were away:\n\nBo:\nWhich order is it? Please send its number.\n4711\n\nCy:\nAnd which link did you use?\nProfiilini.\n\nReply to this email, or continue the conversation in the browser you wrote from:\nhttps://growline.example/#support-chat<https://growline.example/#support-chat>\n`,
    answer:
      "Vastaukset alla.\n> Bo:\n> Which order is it? Please send its number.\n4711\n> Cy:\n> And which link did you use?\nProfiilini.",
  },
  {
    name: "Outlook, English, with the answer below a quotation without marks",
    program: "Outlook",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `From: ${FROM}\nSent: Monday, November 23, 2026 9:05 AM\nTo: ada@visitor.example\nSubject: ${SUBJECT}\n\n${ORIGINAL}\n\nIt is order 4711.\n`,
    answer: "It is order 4711.",
  },
  {
    name: "Outlook for Windows, with a warning of the company above the quotation",
    program: "Outlook",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `Order 4711.\n\nFrom: Growline\nSent: Monday, November 23, 2026 9:05 AM\nTo: Ada <ada@visitor.example>\nSubject: [EXTERNAL] ${SUBJECT}\n\nCAUTION: This email originated from outside of the organization.\n\n${ORIGINAL}\n`,
    answer: "Order 4711.",
  },
  {
    name: "QQ Mail, Chinese",
    program: "QQ Mail",
    language: "zh-CN",
    source: "seen quoted in a mail of a public list",
    plain: `订单是4711。\n\n\n\n------------------ 原始邮件 ------------------\n发件人: "Growline" <no-reply@growline.example>;\n发送时间: 2026年11月23日(星期一) 下午5:05\n收件人: "ada"<ada@visitor.example>;\n主题: ${SUBJECT}\n\n\n\n${ORIGINAL}\n`,
    encoding: "base64",
    answer: "订单是4711。",
  },
  {
    name: "Foxmail, Chinese",
    program: "Foxmail",
    language: "zh-CN",
    source: NOT_LOOKED_UP,
    plain: `订单是4711。\n\n \n发件人： Growline\n发送时间： 2026-11-23 17:05\n收件人： ada\n主题： ${SUBJECT}\n${ORIGINAL}\n`,
    encoding: "base64",
    answer: "订单是4711。",
  },
  {
    name: "NetEase 163 Mail, without marks",
    program: "NetEase 163 Mail",
    language: "zh-CN",
    source: NOT_LOOKED_UP,
    plain: `订单是4711。\n\n\n\n\n\n\n\n\n\n\n在 2026-11-23 17:05:00，"Growline" <no-reply@growline.example> 写道：\n\n${ORIGINAL}\n`,
    encoding: "base64",
    answer: "订单是4711。",
  },
  {
    name: "NetEase 163 Mail, English, with marks and no space",
    program: "NetEase 163 Mail",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `Order 4711.\n\n\nAt 2026-11-23 17:05:00, "Growline" <no-reply@growline.example> wrote:\n${quoted().replaceAll("> ", ">")}\n`,
    answer: "Order 4711.",
  },
  {
    name: "Samsung Email, English",
    program: "Samsung Email",
    language: "en",
    source: NOT_LOOKED_UP,
    plain: `Order 4711.\n\nSent from my Galaxy\n\n-------- Original message --------\nFrom: ${FROM}\nDate: 23/11/2026 09:05 (GMT+00:00)\nTo: ada@visitor.example\nSubject: ${SUBJECT}\n\n${ORIGINAL}\n`,
    encoding: "base64",
    answer: "Order 4711.",
  },
  {
    name: "Naver Mail, Korean",
    program: "Naver Mail",
    language: "ko",
    source: NOT_LOOKED_UP,
    plain: `주문은 4711입니다.\n\n-----Original Message-----\nFrom: "Growline" <no-reply@growline.example>\nTo: <ada@visitor.example>;\nCc:\nSent: 2026-11-23 (월) 18:05:00 (GMT+09:00)\nSubject: ${SUBJECT}\n\n${ORIGINAL}\n`,
    encoding: "base64",
    answer: "주문은 4711입니다.",
  },
  {
    name: "Seznam Email, Czech",
    program: "Seznam Email",
    language: "cs",
    source: "the test mails of a mail program, which a public repository holds",
    plain: `Objednávka 4711.\n\n---------- Původní e-mail ----------\nOd: ${FROM}\nKomu: ada@visitor.example\nDatum: 23. 11. 2026 9:05:00\nPředmět: ${SUBJECT}\n"${ORIGINAL}"\n`,
    encoding: "quoted-printable",
    answer: "Objednávka 4711.",
  },
  {
    name: "GMX, German",
    program: "GMX Mail",
    language: "de",
    source: NOT_LOOKED_UP,
    plain: `Bestellung 4711.\n \n\nGesendet: Montag, 23. November 2026 um 09:05 Uhr\nVon: "Growline" <no-reply@growline.example>\nAn: ada@visitor.example\nBetreff: ${SUBJECT}\n\n${ORIGINAL}\n`,
    encoding: "quoted-printable",
    answer: "Bestellung 4711.",
  },
  {
    name: "HCL Notes, German",
    program: "HCL Notes",
    language: "de",
    source: NOT_LOOKED_UP,
    plain: `Bestellung 4711.\n\n\n\nVon:        "Growline" <no-reply@growline.example>\nAn:        ada@visitor.example\nDatum:        23.11.2026 09:05\nBetreff:        ${SUBJECT}\n\n\n\n${ORIGINAL}\n`,
    answer: "Bestellung 4711.",
  },
  ...(
    [
      ["vi", "━━━Thư gốc━━━", "Đơn hàng 4711."],
      ["fi", "-----alkuperäinen viesti-----", "Tilaus on 4711."],
      ["ja", "-------- オリジナルのメッセージ --------", "4711です。"],
      ["pl", "-------- Wiadomość oryginalna ----------", "To zamówienie 4711."],
    ] as const
  ).map(
    ([language, rule, answer]): AnswerMail => ({
      name: `Evolution, ${language}, in Outlook's style`,
      program: "Evolution 3.46.4",
      language,
      source: "the message catalogs of Debian's evolution-common",
      plain: `${answer}\n\n${rule}\nFrom: ${FROM}\nTo: ada@visitor.example\nSubject: ${SUBJECT}\nDate: Mon, 23 Nov 2026 09:05:00 +0000\n\n${ORIGINAL}\n`,
      encoding: "base64",
      answer,
    }),
  ),
];
