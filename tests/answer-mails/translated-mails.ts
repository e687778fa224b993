import { type AnswerMail, quoted } from "./mail-source.ts";

/** Lines above a quotation from the translations of programs, filled in as the programs do. */

type Line = [language: string, line: string, answer: string];

const ADDRESS = "Growline <no-reply@growline.example>";

/** The answer above the quotation in one, below it in the next, as people do. */
export function mailsOf(program: string, source: string, lines: Line[]): AnswerMail[] {
  return lines.map(([language, line, answer], at) => ({
    name: `${program}, ${language}, with the answer ${at % 2 === 0 ? "above" : "below"}`,
    program,
    language,
    source,
    plain: at % 2 === 0 ? `${answer}\n\n${line}\n${quoted()}\n` : `${line}\n${quoted()}\n\n${answer}\n`,
    encoding: at % 3 === 0 ? ("base64" as const) : ("quoted-printable" as const),
    answer,
  }));
}

export const TRANSLATED: AnswerMail[] = [
  ...mailsOf("Thunderbird 153 ESR", "composeMsgs.properties of Debian's thunderbird-l10n packages", [
    ["fi", "Growline kirjoitti 23.11.2026 klo 09:05:", "Tilaus on 4711."],
    ["pl", "W dniu 23.11.2026 o\u00a009:05, Growline pisze:", "To zamówienie 4711."],
    ["cs", "Dne 23.11.2026 v 09:05 Growline napsal(a):", "Objednávka 4711."],
    ["tr", "23.11.2026 09:05 tarihinde Growline yazdı:", "Sipariş 4711."],
    ["ru", "23.11.2026 09:05, Growline пишет:", "Заказ 4711."],
    ["zh-CN", "在 23.11.2026 09:05, Growline 写道:", "订单是4711。"],
    ["ja", "On 23.11.2026 09:05, Growline wrote:", "注文番号は4711です。"],
    ["he", "נכתב על ידי Growline, ב־23.11.2026 בשעה 09:05:", "הזמנה 4711."],
    ["hy", "23.11.2026 09:05-ին Growlineը գրել է.", "Պատվեր 4711։"],
    ["ko", "23.11.2026 09:05에 Growline 이(가) 쓴 글:", "주문은 4711입니다."],
    ["ar", "على 23.11.2026 \u202b09:05، كتب Growline:", "الطلب 4711"],
    ["el", "Στις 23.11.2026 09:05, ο/η Growline έγραψε:", "Η παραγγελία 4711."],
  ]),
  ...mailsOf("Thunderbird 2026-08", "composeMsgs.properties of the repository thunderbird-l10n", [
    ["br", "D'an/ar 23/11/2026 09:05 eo bet skrivet gant Growline :", "Urzhiad 4711."],
    ["cak", "Ri 23/11/2026 09:05, Growline xutz'ib'aj:", "4711"],
    ["eu", "2026/11/23 09:05(e)an, Growline igorleak idatzi zuen:", "4711 eskaera da."],
    ["gd", "Sgrìobh Growline na leanas 23/11/2026 aig 09:05:", "Òrdugh 4711."],
    ["hsb", "23.11.2026 09:05 Growline napisa:", "Skazanka 4711."],
    // The sign of the author is lost in this translation, so that nobody is named.
    ["hye", "23/11/2026 09:05-ին ֊ը գրել է.", "Պատուէր 4711։"],
    ["hu", "2026. 11. 23. 9:05 keltezéssel, Growline írta:", "A 4711-es."],
    ["kab", "Di 23/11/2026 09:05, Growline yura:", "Taladna 4711."],
    ["kk", "2026-11-23 09:05 уақытында, Growline жазған:", "Тапсырыс 4711."],
    ["rm", "Ils 23-11-2026 a las 09:05 ha Growline scrit:", "Cumonda 4711."],
    ["sl", "Growline je 23. 11. 2026 ob 09:05 napisal:", "Naročilo 4711."],
    ["th", "เมื่อ 23/11/2569 เวลา 09:05 Growline เขียนว่า:", "คำสั่งซื้อ 4711"],
    ["uk", "23.11.2026 09:05, Growline:", "Замовлення 4711."],
    ["uz", "23/11/2026 09:05, Growline da yozdi:", "Buyurtma 4711."],
    ["zh-TW", "Growline 於 2026/11/23 下午 05:05 寫道:", "訂單是4711。"],
  ]),
  ...mailsOf("Roundcube 1.6.5", "mailreplyintro in the localization folder of Debian's roundcube-core", [
    ["zh-CN", "在 2026-11-23 09:05，Growline 写道：", "订单是4711。"],
    ["he", ":כתב Growline, 2026-11-23 09:05 בתאריך", "הזמנה 4711."],
    ["hy", "2026-11-23 09:05-ին, Growline-ը գրեց.", "Պատվեր 4711։"],
    ["km", "កាលពី\u200bថ្ងៃ 2026-11-23 09:05, Growline បាន\u200bសរសេរ៖", "លេខ 4711"],
    ["ms", "Pada 2026-11-23 09:05, Growline menulis", "Pesanan 4711."],
    ["sl", "2026-11-23 09:05, je Growline napisal", "Naročilo 4711."],
    // The translation has its own names for the placeholders, so nothing is filled in.
    ["mk", "На $дата,$праќач напиша:", "Нарачка 4711."],
    ["ug", "date$ دا، sender$ يازدى:", "4711"],
    ["vi", "Vào ngày 2026-11-23 09:05, Growline viết:", "Đơn hàng 4711."],
    ["ka", "2026-11-23 09:05-ში, Growline დაწერა:", "შეკვეთა 4711."],
    ["lt", "2026-11-23 09:05, Growline rašė:", "Užsakymas 4711."],
  ]),
  ...mailsOf("Evolution 3.46.4", "the message catalogs of Debian's evolution-common", [
    ["zh-CN", "在 2026-11-23星期一的 09:05 +0100，Growline写道：", "订单是4711。"],
    ["zh-HK", "於 一，2026-11-23 於 09:05 +0100，Growline 提到：", "訂單是4711。"],
    ["zh-TW", "於 週一，2026-11-23 於 09:05 +0100，Growline 提到：", "訂單是4711。"],
    ["eu", "Jatorrizko mezua: al., 2026-11-23 09:05 +0100, egilea: Growline", "4711 eskaera da."],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: translated names of placeholders, which nothing fills in
    ["hi", "पर सोम, ${साल}-${महीना}-${दिन} के ${२४ घंटे}:${मिनट} ${समय क्षेत्र}, ${प्रेषक} लिखा:", "ऑर्डर 4711 है।"],
    ["uk", "У пн, 2026-11-23 у 09:05 +0100, Growline пише:", "Замовлення 4711."],
  ]),
  ...mailsOf("Geary 43.0", "the message catalogs of Debian's geary", [
    ["zh-CN", `在 2026年11月23日 09:05，${ADDRESS} 写道：`, "订单是4711。"],
    ["pl", `W\u00a0dniu pon, lis 23 2026 at 09:05:00 użytkownik ${ADDRESS} napisał:`, "To zamówienie 4711."],
    ["he", `בתאריך Mon, Nov 23 2026 at 09:05:00 AM, ${ADDRESS} כתב:`, "הזמנה 4711."],
  ]),
  ...mailsOf("Claws Mail 4.1.1", "the reply template in the message catalogs of Debian's claws-mail-i18n", [
    ["ja", `On Mon, 23 Nov 2026 09:05:00 +0100\n${ADDRESS} wrote:\n`, "4711です。"],
    ["ru", `В Mon, 23 Nov 2026 09:05:00 +0100\n${ADDRESS} пишет:\n`, "Заказ 4711."],
    ["sv", `Den Mon, 23 Nov 2026 09:05:00 +0100\nskrev ${ADDRESS}:\n`, "Ordern är 4711."],
  ]),
  ...mailsOf("Horde IMP 6.2.27", "the message catalogs of Debian's php-horde-imp", [
    ["km", `សម្រង់ ${ADDRESS}\u00a0៖\n`, "លេខ 4711"],
    ["de", `Zitat von ${ADDRESS}:\n`, "Bestellung 4711."],
    ["ja", `引用 ${ADDRESS}：\n`, "4711です。"],
  ]),
  ...mailsOf("Horde IMP 2024-01", "the message catalogs of the repository horde/imp", [
    ["hu", `Idézet (${ADDRESS}):\n`, "A 4711-es."],
    ["tr", `Alinti ${ADDRESS}\n`, "Sipariş 4711."],
  ]),
];
