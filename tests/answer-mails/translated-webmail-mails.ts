import { type AnswerMail, ORIGINAL_HTML, quoted } from "./mail-source.ts";
import { mailsOf } from "./translated-mails.ts";

/** Lines above a quotation from the sources and translations of web mail and phones, filled in as the programs do. */

const F = "Growline <no-reply@growline.example>";
const A = "Growline &lt;no-reply@growline.example&gt;";
const ADDRESS = "no-reply@growline.example";

const repository = (files: string) => `${files} in the program's repository`;

export const TRANSLATED_WEBMAIL: AnswerMail[] = [
  ...mailsOf(
    "Thunderbird for Android 2026-08",
    repository("message_compose_reply_header_fmt_with_date of strings.xml"),
    [
      ["en", `On November 23, 2026 9:05:00 AM GMT+01:00, ${F} wrote:`, "Order 4711."],
      ["be", `On 23 лістапада 2026 г. 9.05.00 GMT+01:00, ${F} піша:`, "Заказ 4711."],
      ["br", `D'an/ar23 Du 2026 09:05:00 GMT+01:00 eo bet skrivet gant ${F}:`, "Urzhiad 4711."],
      ["cy", `Ar 23 Tachwedd 2026 09:05:00 GMT+01:00, ysgrifennodd ${F}:`, "Archeb 4711."],
      ["fy", `${F} skreau op 23 novimber 2026 09:05:00 GMT+01:00:`, "Bestelling 4711."],
      ["gd", `Sgrìobh ${F} 23mh dhen t-Samhain 2026 09:05:00:`, "Òrdugh 4711."],
      ["hi", `23 नवंबर 2026 9:05:00 am को, ${F} ने लिखा:`, "ऑर्डर 4711 है।"],
      ["hy", `23 նոյեմբերի, 2026 թ. 09:05:00֊ին, ${F} գրել է՝`, "Պատվեր 4711։"],
      ["is", `Þann 23. nóvember 2026 09:05:00, skrifaði ${F}:`, "Pöntun 4711."],
      ["ja", `2026年11月23日 9:05:00 GMT+09:00、${F} より:`, "4711です。"],
      ["ml", `2026 നവംബർ 23 9:05:00 AM, ${F}ൽ എഴുതി`, "ഓർഡർ 4711"],
      ["nl", `${F} schreef op 23 november 2026 09:05:00 CET:`, "Bestelling 4711."],
      ["sk", `Dňa 23. novembra 2026 9:05:00 používateľ ${F} napísal:`, "Objednávka 4711."],
      ["sl", `Dne 23. november 2026 09:05:00, ${F} sporoča:`, "Naročilo 4711."],
      ["sq", `Më 23 nëntor 2026 9:05:00, ${F} shkroi:`, "Porosia 4711."],
      ["ta", `23 நவம்பர், 2026 முற்பகல் 9:05:00, ${F} எழுதப்பட்டது:`, "ஆர்டர் 4711"],
    ],
  ),
  ...mailsOf("Thunderbird for Android 2026-08", repository("message_compose_reply_header_fmt of strings.xml"), [
    ["hy", `${F} գրել է՝`, "Պատվեր 4711։"],
    ["ml", `${F} എഴുതി`, "ഓർഡർ 4711"],
    ["ga", `Scríobh ${F}:`, "Ordú 4711."],
  ]).map((mail) => ({ ...mail, name: `${mail.name}, with no date` })),
  ...mailsOf("SnappyMail 2.38.2", repository("REPLY_MESSAGE_TITLE of user.json, and the colon that Compose.js adds"), [
    ["da", `Den 23. november 2026 09.05, skrev ${F}::`, "Ordren er 4711."],
    ["fr", `23 novembre 2026 09:05 ${F} a écrit :`, "Commande 4711."],
    ["id", `23 November 2026 09.05, ${F} ditulis:`, "Pesanan 4711."],
    ["ko", `2026년 11월 23일 오전 9:05에 ${F}이(가) 보낸 메시지:`, "주문은 4711입니다."],
    ["nb", `${F} skrev 23. november 2026 kl. 09:05:`, "Ordren er 4711."],
    ["pl", `23 listopada 2026 09:05, ${F} napisał/-a/:`, "To zamówienie 4711."],
    ["zh-TW", `於 2026年11月23日 上午9:05，${F} 寫到:`, "訂單是4711。"],
    ["fa", `۲ آذر ۱۴۰۵،‏ ۹:۰۵, ${F} نوشت:`, "سفارش 4711"],
  ]),
  ...mailsOf("RainLoop 1.17.0", repository("REPLY_MESSAGE_TITLE of the localization files"), [
    ["ca", `November 23, 2026 9:05 AM, "Growline" <${ADDRESS}> va escriure:`, "Comanda 4711."],
    ["et", `November 23, 2026 9:05 AM, "Growline" <${ADDRESS}> kirjutas:`, "Tellimus 4711."],
    ["eu", `November 23, 2026 9:05 AM, "Growline" <${ADDRESS}> idatzita:`, "4711 eskaera da."],
    ["lv", `November 23, 2026 9:05 AM, "Growline" <${ADDRESS}> rakstija:`, "Pasūtījums 4711."],
  ]),
  ...mailsOf("SOGo 5.1.1", repository("the reply templates"), [
    ["en", `On Monday, November 23, 2026 09:05 UTC, ${F} wrote:\n`, "Order 4711."],
    ["zh-CN", `日期 星期一, 十一月 23, 2026 09:05 UTC, ${F} 編輯:\n`, "订单是4711。"],
    ["hu", `hétfő, november 23, 2026 09:05 UTC dátummal, ${F} ezt írta:\n`, "A 4711-es."],
    ["he", `פועל יום שני, נובמבר 23, 2026 09:05 UTC, ${F} כתב:\n`, "הזמנה 4711."],
    ["ja", `On 月曜日, 11月 23, 2026 09:05 UTC, ${F}\nwrote:\n`, "4711です。"],
    ["sr", `Дана понедељак, новембар 23, 2026 09:05 UTC, ${F} је написао/ла:\n`, "Поруџбина 4711."],
    ["uk", `понеділок, листопада 23, 2026 09:05 UTC ${F} написав(ла):\n`, "Замовлення 4711."],
  ]),
  ...mailsOf("Group-Office 26.0", repository("the language files of the email module"), [
    ["bn", `সোমবার এ, 23-11-2026 এ সময়ে 9:05 Growline লিখেছেনঃ `, "অর্ডার 4711"],
    ["et", "Kell Esmaspäev, 23-11-2026  9:05 Growline kirjutas:", "Tellimus 4711."],
    ["nb", "Mandag, 23-11-2026 kl 9:05 skrev Growline :", "Ordren er 4711."],
    ["th", "At จันทร์, 23-11-2026 on 9:05 Growline wrote:", "คำสั่งซื้อ 4711"],
  ]),
  ...mailsOf("Zimbra 10.1.0", repository("replyPrefix of the message files"), [
    ["en", `----- On Nov 23, 2026, at 9:05 AM, Growline ${ADDRESS} wrote:\n`, "Order 4711."],
    ["ja", `----- 2026年11月23日9:05 に Growline ${ADDRESS}さんが書いたメッセージ：\n`, "4711です。"],
    ["th", `----- เมื่อ 23 พ.ย. 2026 เวลา 9:05,Growline ${ADDRESS} เขียน:\n`, "คำสั่งซื้อ 4711"],
    ["tr", `----- 23 Kas 2026 tarihinde, 9:05 saatinde, Growline ${ADDRESS} şunları yazdı:\n`, "Sipariş 4711."],
    ["zh-CN", `----- 2026年11月23日，9:05，Growline ${ADDRESS} 写道：\n`, "订单是4711。"],
    ["ar", `----- في 23 نوفمبر 2026 على 9:05، Growline ${ADDRESS} كتب:\u200f\n`, "الطلب 4711"],
  ]),
  ...mailsOf("Tuta 357", repository("by_label of the translations, in the order of MailViewerViewModel.ts"), [
    ["de", `23. Nov. 2026, 09:05 von ${ADDRESS}:`, "Bestellung 4711."],
    ["fi", `23. marrask. 2026 klo 9.05 - lähettäjä ${ADDRESS}:`, "Tilaus on 4711."],
    ["ja", `2026年11月23日 9:05 差出人:  ${ADDRESS}:`, "4711です。"],
    ["ko", `2026년 11월 23일 오전 9:05 보낸사람 ${ADDRESS}:`, "주문은 4711입니다."],
    ["tr", `23 Kas 2026 09:05 tarafından ${ADDRESS}:`, "Sipariş 4711."],
  ]),
  ...mailsOf("Twake Mail 0.33", repository("header_email_quoted of the translations"), [
    ["en", `On Mon, Nov 23, 2026 at 9:05 AM, from ${ADDRESS}`, "Order 4711."],
    ["mn", `2026-11-23 09:05-нд, ${ADDRESS}-ээс`, "Захиалга 4711."],
    ["vi", `Vào ngày 23/11/2026 09:05, từ ${ADDRESS}`, "Đơn hàng 4711."],
    ["zh-CN", `2026-11-23 09:05，发件人 ${ADDRESS}`, "订单是4711。"],
  ]),
  ...mailsOf("Cypht 2.12.0", repository("'On %s %s said' of the language files"), [
    ["en", `On Mon, 23 Nov 2026 09:05:00 +0000 ${F} said\n`, "Order 4711."],
    ["de", `Am Mon, 23 Nov 2026 09:05:00 +0000${F} sagte\n`, "Bestellung 4711."],
    ["az", `Mon, 23 Nov 2026 09:05:00 +0000 ${F} bildirib\n`, "Sifariş 4711."],
    ["ja", `Mon, 23 Nov 2026 09:05:00 +0000に${F}が言いました\n`, "4711です。"],
    ["es", `El Mon, 23 Nov 2026 09:05:00 +0000, ${F} dijo:\n`, "El 4711."],
  ]),
  ...mailsOf("Nextcloud Mail 5.11", repository("ReplyBuilder.js"), [
    ["en", `"Growline" ${ADDRESS} – November 23, 2026 at 9:05 AM`, "Order 4711."],
    ["de", `"Growline" ${ADDRESS} – 23. November 2026 um 09:05`, "Bestellung 4711."],
  ]),
  ...mailsOf("FairEmail 1.2331", repository("getReplyHeader of EntityMessage.java"), [
    ["nl", `23 nov. 2026 09:05:00 ${F}:`, "Bestelling 4711."],
    ["en", `2026-11-23T09:05:00Z ${F}:`, "Order 4711."],
  ]),
  ...mailsOf("Trojita 2026-08", repository("MessageActionHandler.cpp"), [
    ["en", `On Monday, 23 November 2026 09:05:00 CET, Growline wrote:`, "Order 4711."],
  ]),
  {
    name: "Nextcloud Mail, fr, HTML only",
    program: "Nextcloud Mail 5.11",
    language: "fr",
    source: repository("ReplyBuilder.js"),
    html: `<p>4711</p><p>Kiitos</p><div class="quote">"Growline" ${ADDRESS} – 23 novembre 2026 à 09:05<br><blockquote>${ORIGINAL_HTML}</blockquote></div>`,
    answer: "4711\n\nKiitos",
  },
  {
    name: "FairEmail, en, HTML only with the longer header",
    program: "FairEmail 1.2331",
    language: "en",
    source: repository("getReplyHeader of EntityMessage.java"),
    html: `<p>4711<br>Kiitos</p><div fairemail="reply" dir="ltr"><hr><p><strong>From: </strong>${A}<br><strong>To: </strong>ada@visitor.example<br><strong>Date: </strong>23 Nov 2026 09:05:00<br><strong>Subject: </strong>Growline support replied to you<br></p><blockquote style="margin:0;border-left:3px solid #ccc; padding-left:10px">${ORIGINAL_HTML}</blockquote></div>`,
    answer: "4711\nKiitos",
  },
  {
    name: "Tuta, de, HTML only",
    program: "Tuta 357",
    language: "de",
    source: repository("MailViewerViewModel.ts"),
    html: `<div>4711</div><div>Kiitos</div><br>23. Nov. 2026, 09:05 von ${ADDRESS}:<br><blockquote class="tutanota_quote">${ORIGINAL_HTML}</blockquote>`,
    answer: "4711\nKiitos",
  },
  {
    name: "SnappyMail, de, HTML only",
    program: "SnappyMail 2.38.2",
    language: "de",
    source: repository("Compose.js"),
    html: `<div>4711<br>Kiitos</div><br><br><p>Am 23. November 2026 um 09:05 schrieb ${A}:</p><blockquote>${ORIGINAL_HTML}</blockquote>`,
    answer: "4711\nKiitos",
  },
  {
    name: "RainLoop, es, HTML only",
    program: "RainLoop 1.17.0",
    language: "es",
    source: repository("Compose.js"),
    html: `4711<br />Kiitos<br /><br />November 23, 2026 9:05 AM, "Growline" &lt;<a target="_blank" tabindex="-1" href="mailto:${ADDRESS}">${ADDRESS}</a>&gt; escribió:<br /><br /><blockquote>${ORIGINAL_HTML}</blockquote>`,
    answer: "4711\nKiitos",
  },
  {
    name: "Mailspring, en, with its line (from the source)",
    program: "Mailspring 1.23.0",
    language: "en",
    source: repository("message.ts"),
    plain: `4711\n\nOn Nov 23 2026, at 9:05 am, ${F} wrote:\n${quoted()}\n`,
    answer: "4711",
  },
];
