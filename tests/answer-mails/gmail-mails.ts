import { type AnswerMail, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

const FROM = "Growline <no-reply@growline.example>";
const gmailHtml = (answer: string, attribution: string, after = "") =>
  `<div dir="ltr">${answer}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${attribution}<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">${ORIGINAL_HTML}</blockquote>${after}</div>\n`;

export const GMAIL: AnswerMail[] = [
  {
    name: "Gmail on the web, English, both parts",
    plain: `It's order 4711.\n\nThanks!\n\nOn Mon, Nov 23, 2026 at 9:05 AM Growline <\nno-reply@growline.example> wrote:\n\n${quoted()}\n`,
    html: gmailHtml("It&#39;s order 4711.<div><br></div><div>Thanks!</div>", `On Mon, Nov 23, 2026 wrote:`),
    encoding: "quoted-printable",
    answer: "It's order 4711.\n\nThanks!",
  },
  {
    name: "Gmail on the web, English, HTML only",
    html: gmailHtml(
      "It&#39;s order 4711.<div><br></div><div>The &lt;b&gt; in the link &amp; all?</div>",
      `On Mon, Nov 23, 2026 at 9:05 AM Growline &lt;<a href="mailto:no-reply@growline.example">no-reply@growline.example</a>&gt; wrote:`,
    ),
    answer: "It's order 4711.\n\nThe <b> in the link & all?",
  },
  {
    name: "Gmail, German, plain",
    plain: `Es ist die Bestellung 4711.\nGrüße, Ada\n\nAm Mo., 23. Nov. 2026 um 09:05 Uhr schrieb Growline <\nno-reply@growline.example>:\n\n${quoted()}\n`,
    encoding: "base64",
    answer: "Es ist die Bestellung 4711.\nGrüße, Ada",
  },
  {
    name: "Gmail, French, quoted-printable",
    plain: `C'est la commande n° 4711, passée hier à midi.\n\nLe lun. 23 nov. 2026 à 09:05, ${FROM} a écrit :\n\n${quoted()}\n`,
    encoding: "quoted-printable",
    answer: "C'est la commande n° 4711, passée hier à midi.",
  },
  {
    name: "Gmail, Spanish",
    plain: `Es el pedido 4711. ¿Cuánto tardará?\n\nEl lun, 23 nov 2026 a las 9:05, Growline (<no-reply@growline.example>)\nescribió:\n\n${quoted()}\n`,
    encoding: "base64",
    answer: "Es el pedido 4711. ¿Cuánto tardará?",
  },
  {
    name: "Gmail, Portuguese",
    plain: `É o pedido 4711, não chegou ainda.\n\nEm seg., 23 de nov. de 2026 às 09:05, Growline <no-reply@growline.example>\nescreveu:\n\n${quoted()}\n`,
    answer: "É o pedido 4711, não chegou ainda.",
  },
  {
    name: "Gmail, Italian, HTML only",
    html: gmailHtml("È l&#39;ordine 4711.", "Il giorno lun 23 nov 2026 alle ore 09:05 Growline ha scritto:"),
    answer: "È l'ordine 4711.",
  },
  {
    name: "Gmail, Japanese, whose line above the quotation has no verb",
    plain: `4711です。\n\n2026年11月23日(月) 9:05 Growline <no-reply@growline.example>:\n\n${quoted()}\n`,
    encoding: "base64",
    answer: "4711です。",
  },
  {
    name: "Gmail with the answer below",
    plain: `On Mon, Nov 23, 2026 at 9:05 AM ${FROM} wrote:\n\n${quoted()}\n\nOrder 4711, as I said.\n`,
    answer: "Order 4711, as I said.",
  },
  {
    name: "Gmail with answers between the lines",
    plain: `On Mon, Nov 23, 2026 at 9:05 AM ${FROM} wrote:\n\n> Which order is it? Please send its number.\n\n4711.\n\n> And which link did you use?\n\nThe one of my profile.\n\n> Reply to this email\n`,
    answer:
      "> Which order is it? Please send its number.\n4711.\n> And which link did you use?\nThe one of my profile.",
  },
  {
    name: "Gmail with answers between the lines, HTML only",
    html: `<div dir="ltr"><div class="gmail_quote"><div class="gmail_attr">On Mon wrote:<br></div><blockquote class="gmail_quote"><p>Which order is it?</p></blockquote><div>4711.</div><blockquote class="gmail_quote"><p>And which link?</p></blockquote><div>My profile&#39;s.</div></div></div>`,
    answer: "> Which order is it?\n4711.\n> And which link?\nMy profile's.",
  },
  {
    name: "Gmail with a signature above the quotation",
    plain: `Order 4711.\n\n-- \nAda Lovelace\nAnalytical Engines Ltd.\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${FROM} wrote:\n\n${quoted()}\n`,
    answer: "Order 4711.",
  },
  {
    name: "Gmail with a signature, HTML only",
    html: gmailHtml(
      `Order 4711.<br clear="all"><div><br></div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature"><div>Ada Lovelace</div></div>`,
      "On Mon wrote:",
    ),
    answer: "Order 4711.",
  },
  {
    name: "Gmail without a text",
    plain: `\n\nOn Mon, Nov 23, 2026 at 9:05 AM ${FROM} wrote:\n\n${quoted()}\n`,
    answer: "",
  },
  { name: "Gmail on Android without a quotation", plain: "4711", answer: "4711" },
  {
    name: "Gmail with the original quoted twice",
    plain: `Still waiting.\n\nOn Tue, Nov 24, 2026 at 8:00 AM ${FROM} wrote:\n\n${quoted(`Hi\n\nOn Mon, Nov 23, 2026 Ada <ada@visitor.example> wrote:\n\n${quoted(ORIGINAL)}`)}\n`,
    answer: "Still waiting.",
  },
];
