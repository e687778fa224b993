import { type AnswerMail, ORIGINAL, ORIGINAL_HTML } from "./mail-source.ts";

type Words = { from: string; sent: string; to: string; subject: string; date: string };
const WORDS = {
  en: { from: "From", sent: "Sent", to: "To", subject: "Subject", date: "Monday, November 23, 2026 9:05 AM" },
  de: { from: "Von", sent: "Gesendet", to: "An", subject: "Betreff", date: "Montag, 23. November 2026 09:05" },
  fr: { from: "De", sent: "Envoyé", to: "À", subject: "Objet", date: "lundi 23 novembre 2026 09:05" },
  es: { from: "De", sent: "Enviado", to: "Para", subject: "Asunto", date: "lunes, 23 de noviembre de 2026 9:05" },
  pt: {
    from: "De",
    sent: "Enviada em",
    to: "Para",
    subject: "Assunto",
    date: "segunda-feira, 23 de novembro de 2026 09:05",
  },
} satisfies Record<string, Words>;

const header = (words: Words, space = "") =>
  `${words.from}${space}: Growline <no-reply@growline.example>\n${words.sent}${space}: ${words.date}\n${words.to}${space}: ada@visitor.example\n${words.subject}${space}: Growline support replied to you`;
const htmlHeader = (words: Words) =>
  `<p class="MsoNormal"><b>${words.from}:</b> Growline &lt;no-reply@growline.example&gt;<br><b>${words.sent}:</b> ${words.date}<br><b>${words.to}:</b> ada@visitor.example<br><b>${words.subject}:</b> Growline support replied to you<o:p></o:p></p>`;
/** Word's HTML, as Outlook for Windows sends it. */
const desktop = (answer: string, words: Words) =>
  `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta charset="x"><!--[if !mso]><style>v\\:* {behavior:url(#default#VML);}</style><![endif]--><style><!-- p.MsoNormal {margin:0cm} --></style></head><body lang="EN-US"><div class="WordSection1">${answer}<p class="MsoNormal"><o:p>&nbsp;</o:p></p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">${htmlHeader(words)}</div></div><p class="MsoNormal"><o:p>&nbsp;</o:p></p>${ORIGINAL_HTML}</div></body></html>`;
const web = (answer: string, words: Words) =>
  `<html><head><style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style></head><body dir="ltr"><div class="elementToProof" style="font-family: Aptos;">${answer}</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr">${htmlHeader(words)}</div><div>${ORIGINAL_HTML}</div></body></html>`;

export const OUTLOOK: AnswerMail[] = [
  {
    name: "Outlook for Windows, English, both parts",
    plain: `It is order 4711.\n\nBest regards\nAda\n\n${header(WORDS.en)}\n\n${ORIGINAL}\n`,
    html: desktop('<p class="MsoNormal">It is order 4711.<o:p></o:p></p>', WORDS.en),
    encoding: "quoted-printable",
    answer: "It is order 4711.\n\nBest regards\nAda",
  },
  {
    name: "Outlook for Windows, German, windows-1252",
    plain: `Es ist die Bestellung 4711 für 20 €.\n\nViele Grüße\nAda\n\n${header(WORDS.de)}\n\n${ORIGINAL}\n`,
    charset: "windows-1252",
    encoding: "quoted-printable",
    answer: "Es ist die Bestellung 4711 für 20 €.\n\nViele Grüße\nAda",
  },
  {
    name: "Outlook for Windows, German, HTML only",
    html: desktop('<p class="MsoNormal">Die Bestellung f&uuml;r 20&nbsp;&euro;.<o:p></o:p></p>', WORDS.de),
    answer: "Die Bestellung für 20 €.",
  },
  {
    name: "Outlook for Windows, French, windows-1252",
    plain: `C’est la commande 4711…\n\n${header(WORDS.fr, " ")}\n\n${ORIGINAL}\n`,
    charset: "windows-1252",
    encoding: "8bit",
    answer: "C’est la commande 4711…",
  },
  {
    name: "Outlook for Windows, Spanish",
    plain: `Es el 4711, señor.\n\n${header(WORDS.es)}\n\n${ORIGINAL}\n`,
    encoding: "base64",
    answer: "Es el 4711, señor.",
  },
  {
    name: "Outlook for Windows, Portuguese, HTML only",
    html: desktop('<p class="MsoNormal">&Eacute; o pedido 4711.<o:p></o:p></p>', WORDS.pt),
    charset: "windows-1252",
    answer: "É o pedido 4711.",
  },
  {
    name: "Outlook for Windows, plain text with the old separator",
    plain: `Order 4711.\n\n-----Original Message-----\n${header(WORDS.en)}\n\n${ORIGINAL}\n`,
    answer: "Order 4711.",
  },
  {
    name: "Outlook for Windows, German, plain text with the old separator",
    plain: `4711.\n\n-----Ursprüngliche Nachricht-----\n${header(WORDS.de)}\n\n${ORIGINAL}\n`,
    charset: "windows-1252",
    encoding: "quoted-printable",
    answer: "4711.",
  },
  {
    name: "Outlook for Windows, French, with the old separator",
    plain: `C'est 4711.\n\n-----Message d'origine-----\n${header(WORDS.fr, " ")}\n\n${ORIGINAL}\n`,
    answer: "C'est 4711.",
  },
  {
    name: "Outlook on the web, English, both parts",
    plain: `It's order 4711.\n________________________________\n${header(WORDS.en)}\n\n${ORIGINAL}\n`,
    html: web("It's order 4711.", WORDS.en),
    answer: "It's order 4711.",
  },
  {
    name: "Outlook on the web, Spanish, HTML only",
    html: web("Es el pedido 4711.<br><br>Gracias", WORDS.es),
    encoding: "base64",
    answer: "Es el pedido 4711.\n\nGracias",
  },
  {
    name: "Outlook on the web with a signature, HTML only",
    html: web(
      `Order 4711.</div><div id="Signature"><p>Ada Lovelace<br>Analytical Engines Ltd.</p></div><div>`,
      WORDS.en,
    ),
    answer: "Order 4711.",
  },
  {
    name: "Outlook for iOS, English",
    plain: `Order 4711\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\n${header(WORDS.en)}\n\n${ORIGINAL}\n`,
    answer: "Order 4711",
  },
  {
    name: "Outlook for Android, German",
    plain: `Die 4711\n\nHolen Sie sich Outlook für Android<https://aka.ms/AAb9ysg>\n________________________________\n${header(WORDS.de)}\n\n${ORIGINAL}\n`,
    encoding: "quoted-printable",
    answer: "Die 4711",
  },
  {
    name: "Outlook for iOS, HTML only",
    html: web(
      `Commande 4711</div><div id="ms-outlook-mobile-signature"><div><br></div>Télécharger <a href="https://aka.ms/o0ukef">Outlook pour iOS</a></div><div>`,
      WORDS.fr,
    ),
    answer: "Commande 4711",
  },
  {
    name: "Outlook for Windows without a text",
    html: desktop('<p class="MsoNormal"><o:p>&nbsp;</o:p></p>', WORDS.en),
    answer: "",
  },
];
