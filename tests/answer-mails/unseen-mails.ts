import { type AnswerMail, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

/** Mails that we read wrong at first. They were collected without knowledge of our rules. */

const FROM = "Growline <no-reply@growline.example>";
const DATE = "23 de nov. de 2026 às 9:05";

export const UNSEEN: AnswerMail[] = [
  {
    name: "Yahoo Mail for Android, pt, with the line and the start of our text in one",
    program: "Yahoo Mail for Android",
    language: "pt",
    source: "list mails of 2025 and 2026 whose X-Mailer is YahooMailAndroidMobile",
    plain: `4711\n\nEnviado do Yahoo Mail no Android \n \n  Em seg., ${DATE}, Growline<no-reply@growline.example> escreveu:   ${ORIGINAL}\n\n  \n`,
    html: `<div dir="ltr">4711<br><br><div id="ymail_android_signature"><a href="https://go.onelink.me/1">Enviado do Yahoo Mail no Android</a></div> <br> <blockquote style="margin: 0 0 20px 0;"> <div style="color:#6D00F6;"> <div>Em seg., ${DATE}, Growline</div><div>&lt;no-reply@growline.example&gt; escreveu:</div> </div> <div style="border-left: 1px solid #6D00F6;"> ${ORIGINAL_HTML} </div> </blockquote></div>`,
    answer: "4711",
  },
  {
    name: "Samsung Email, pl, without the line breaks of its plain text",
    program: "Samsung Email",
    language: "pl",
    source: "list mails of 2024 and 2025 whose boundary names com.samsung.android.email",
    plain: `4711.Kiitos.Wysłano z mojego smartfona Samsung Galaxy.\n-------- Oryginalna wiadomość --------Od: ${FROM} Data: 23.11.2026  09:05  (GMT+01:00) Do: ada@visitor.example Temat: Growline support replied to you ${ORIGINAL.replaceAll(/\n+/g, "")}`,
    html: `<div dir="auto">4711.</div><div dir="auto">Kiitos.</div><div dir="auto"><br></div><div id="composer_signature" dir="auto"><div dir="auto">Wysłano z mojego smartfona Samsung Galaxy.</div></div><div><br></div><div dir="auto"><!-- originalMessage --><div>-------- Oryginalna wiadomość --------</div><div>Od: Growline &lt;no-reply@growline.example&gt; </div><div>Data: 23.11.2026  09:05  (GMT+01:00) </div><div>Do: ada@visitor.example </div><div>Temat: Growline support replied to you </div><div><br></div></div>${ORIGINAL_HTML}`,
    answer: "4711.\nKiitos.",
  },
  {
    name: "Yandex Mail, kk, with semicolons behind its fields",
    program: "Yandex Mail",
    language: "kk",
    source: "list mails whose X-Mailer is Yamail 5.0",
    html: `<div>4711</div><div>\u00a0</div><div>----------------</div><div>Кому: ada@visitor.example (ada@visitor.example);</div><div>Тема: Growline support replied to you;</div><div>23.11.2026, 09:05, "Growline" &lt;no-reply@growline.example&gt;:</div><blockquote>${ORIGINAL_HTML}</blockquote>`,
    answer: "4711",
  },
  {
    name: "iPhone Mail, fr, with answers between the lines under its signature",
    program: "Apple Mail on iPhone",
    language: "fr",
    source: "list mails of 2024 and 2025 whose X-Mailer is iPhone Mail (22C152)",
    plain: `\n\nEnvoyé de mon iPhone\n\n> Le 23 nov. 2026 à 09:05, ${FROM} a écrit :\n> \n> \ufeff${ORIGINAL.split("\n\nCy:")[0]?.replaceAll("\n", "\n> ")}\n\n4711\n\n> \n> Cy:\n> And which link did you use?\n\nMon profil\n\n> \n${quoted().split("\n").slice(-2).join("\n")}\n`,
    answer:
      "> Bo:\n> Which order is it? Please send its number.\n4711\n> Cy:\n> And which link did you use?\nMon profil",
  },
  {
    name: "Tuta, nl, with its advertisement below the answer",
    program: "Tuta",
    language: "nl",
    source: "the app's source and translations of 2026: its default signature, and the line above a quotation",
    plain: `Hoi Bo,\n\nhet is 4711.\n\n--\nBeveiligd met Tuta Mail:\nhttps://tuta.com/free-email\n\n\n23 nov 2026 09:05 van no-reply@growline.example:\n\n${quoted()}\n`,
    answer: "Hoi Bo,\n\nhet is 4711.",
  },
];
