import { type AnswerMail, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

const FROM = "Growline <no-reply@growline.example>";

export const THUNDERBIRD: AnswerMail[] = [
  {
    name: "Thunderbird, English, with the answer below",
    plain: `On 11/23/26 09:05, Growline wrote:\n${quoted()}\n\nOrder 4711.\n\n-- \nAda Lovelace\n`,
    answer: "Order 4711.",
  },
  {
    name: "Thunderbird, German, with the answer above",
    plain: `Bestellung 4711 für 20 €\n\nAm 23.11.26 um 09:05 schrieb Growline:\n${quoted()}\n`,
    charset: "windows-1252",
    encoding: "8bit",
    answer: "Bestellung 4711 für 20 €",
  },
  {
    name: "Thunderbird, French, with answers between the lines",
    plain: `Le 23/11/2026 à 09:05, Growline a écrit :\n> Which order is it?\nLa 4711.\n> And which link did you use?\nCelui de mon profil.\n\n-- \nAda\n`,
    encoding: "quoted-printable",
    answer: "> Which order is it?\nLa 4711.\n> And which link did you use?\nCelui de mon profil.",
  },
  {
    name: "Thunderbird, Spanish, HTML only",
    html: `<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"></head><body><p>Es el 4711.</p><div class="moz-cite-prefix">El 23/11/26 a las 9:05, Growline escribi&oacute;:<br></div><blockquote type="cite" cite="mid:1@growline.example">${ORIGINAL_HTML}</blockquote><div class="moz-signature">-- <br>Ada</div></body></html>`,
    answer: "Es el 4711.",
  },
  {
    name: "Thunderbird, Portuguese, both parts",
    plain: `É o 4711.\n\nEm 23/11/2026 09:05, Growline escreveu:\n${quoted()}\n`,
    html: `<p>É o 4711.</p><blockquote type="cite">${ORIGINAL_HTML}</blockquote>`,
    encoding: "base64",
    answer: "É o 4711.",
  },
];

export const YAHOO: AnswerMail[] = [
  {
    name: "Yahoo, English, plain text without marks",
    plain: ` Order 4711\n\n    On Monday, November 23, 2026 at 09:05:00 AM GMT+1, ${FROM} wrote:  \n \n ${ORIGINAL.replaceAll("\n", "\n ")}\n`,
    answer: "Order 4711",
  },
  {
    name: "Yahoo, English, HTML only",
    html: `<html><head></head><body><div class="ydp1yahoo-style-wrap" style="font-family:Helvetica"><div dir="ltr">Order 4711</div><div><br></div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div><div>On Monday, November 23, 2026, Growline wrote:</div><div><br></div>${ORIGINAL_HTML}</div></div></body></html>`,
    answer: "Order 4711",
  },
  {
    name: "Yahoo on a phone, English",
    plain: `Order 4711\n\n\nSent from Yahoo Mail for iPhone\n\n\nOn Monday, November 23, 2026, 9:05 AM, ${FROM} wrote:\n\n${ORIGINAL}\n`,
    encoding: "base64",
    answer: "Order 4711",
  },
  {
    name: "Yahoo, German, HTML only",
    html: `<div>Die 4711, sch&ouml;n.</div><div class="yahoo_quoted"><div>Am Montag, 23. November 2026 schrieb Growline:</div>${ORIGINAL_HTML}</div>`,
    charset: "windows-1252",
    encoding: "quoted-printable",
    answer: "Die 4711, schön.",
  },
  {
    name: "Yahoo, French, plain text without marks",
    plain: `La 4711\n\nLe lundi 23 novembre 2026 à 09:05:00 UTC+1, ${FROM} a écrit :\n\n${ORIGINAL}\n`,
    encoding: "quoted-printable",
    answer: "La 4711",
  },
];

export const ODD: AnswerMail[] = [
  { name: "nothing at all", answer: "" },
  { name: "a signature only", plain: "-- \nAda Lovelace\n", answer: "" },
  {
    name: "prose that looks like a quotation's first line",
    plain: "On Monday Bo wrote: call me at 9:05.\nFrom: a friend I heard that it works.\n\nDoes it?\n",
    answer: "On Monday Bo wrote: call me at 9:05.\nFrom: a friend I heard that it works.\n\nDoes it?",
  },
  {
    name: "a list with a colon before a quotation of the writer's choice",
    plain: "You said:\n\n> It takes a day.\n\nIt took three.\n",
    answer: "You said:\n\nIt took three.",
  },
  {
    name: "lists and line breaks, HTML only",
    html: "<p>Two orders:</p><ul><li>4711</li><li>4712</li></ul><p>Both<br>are late.</p>",
    answer: "Two orders:\n\n4711\n4712\n\nBoth\nare late.",
  },
  {
    name: "scripts, styles and comments, HTML only",
    html: "<style>p{color:red}</style><script>alert(1)</script><!-- hidden --><p>Order 4711</p><script>",
    answer: "Order 4711",
  },
  {
    name: "a broken HTML",
    html: '<div>Order <b>4711</i> < 4712 <a href="x>broken</div>',
    answer: "Order 4711 < 4712 broken",
  },
];
