import { type AnswerMail, ORIGINAL, ORIGINAL_HTML, quoted } from "./mail-source.ts";

const FROM = "Growline <no-reply@growline.example>";
const appleHtml = (answer: string, signature: string, attribution: string) =>
  `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body dir="auto">${answer}<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">${signature}</div><div dir="ltr"><br><blockquote type="cite">${attribution}<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">${ORIGINAL_HTML}</div></blockquote></body></html>`;

export const APPLE: AnswerMail[] = [
  {
    name: "iPhone, English",
    plain: `Order 4711\n\nSent from my iPhone\n\n> On Nov 23, 2026, at 9:05 AM, ${FROM} wrote:\n> \n> ${ORIGINAL.replaceAll("\n", "\n> ")}\n`,
    encoding: "quoted-printable",
    answer: "Order 4711",
  },
  {
    name: "iPhone, German",
    plain: `Nummer 4711, schönen Tag!\n\nVon meinem iPhone gesendet\n\n> Am 23.11.2026 um 09:05 schrieb ${FROM}:\n> \n> ﻿${ORIGINAL.replaceAll("\n", "\n> ")}\n`,
    encoding: "base64",
    answer: "Nummer 4711, schönen Tag!",
  },
  {
    name: "iPhone, French, HTML only",
    html: appleHtml("Commande 4711", "Envoyé de mon iPhone", "Le 23 nov. 2026 à 09:05, Growline a écrit&nbsp;:"),
    answer: "Commande 4711",
  },
  {
    name: "iPhone, Spanish",
    plain: `El 4711.\n\nEnviado desde mi iPhone\n\n> El 23 nov 2026, a las 9:05, Growline <no-reply@growline.example> escribió:\n> \n${quoted()}\n`,
    answer: "El 4711.",
  },
  {
    name: "iPhone, Portuguese",
    plain: `O pedido 4711.\n\nEnviado do meu iPhone\n\n> Em 23 de nov. de 2026, à(s) 09:05, Growline escreveu:\n> \n${quoted()}\n`,
    encoding: "quoted-printable",
    answer: "O pedido 4711.",
  },
  {
    name: "iPad with nothing but its signature",
    plain: `\n\nSent from my iPad\n\n> On Nov 23, 2026, at 9:05 AM, ${FROM} wrote:\n> \n${quoted()}\n`,
    answer: "",
  },
  {
    name: "Apple Mail on a Mac, English",
    plain: `It's order 4711.\n\nAda\n\n> On 23. Nov 2026, at 09:05, ${FROM} wrote:\n> \n${quoted()}\n`,
    answer: "It's order 4711.\n\nAda",
  },
  {
    name: "Apple Mail on a Mac with the line above the quotation unmarked",
    plain: `It's order 4711.\n\nOn 23. Nov 2026, at 09:05, ${FROM} wrote:\n\n${quoted()}\n`,
    answer: "It's order 4711.",
  },
  {
    name: "Apple Mail on a Mac with answers between the lines",
    plain: `> On 23. Nov 2026, at 09:05, ${FROM} wrote:\n> \n> Which order is it?\n\n4711\n\n> And which link did you use?\n\nMy profile's\n\nAda\n`,
    answer: "> Which order is it?\n4711\n> And which link did you use?\nMy profile's\n\nAda",
    unaware: `> On 23. Nov 2026, at 09:05, ${FROM} wrote:\n>\n> Which order is it?\n4711\n> And which link did you use?\nMy profile's\n\nAda`,
  },
  {
    name: "Apple Mail on a Mac, Italian, HTML only",
    html: appleHtml("Ordine 4711, perch&eacute;?", "Inviato da iPhone", "Il giorno 23 nov 2026, Growline ha scritto:"),
    encoding: "quoted-printable",
    answer: "Ordine 4711, perché?",
  },
];
