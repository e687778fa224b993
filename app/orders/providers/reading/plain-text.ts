import { cutText } from "#app/cut-text.ts";
import { withoutOwnTexts } from "./own-texts.ts";

const MAX_TEXT = 500;

const ENTITIES = new Map([
  ["&amp;", "&"],
  ["&quot;", '"'],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&nbsp;", " "],
]);

/** Phrases that ask for patience, help or care. They say nothing about what is wrong. */
const COURTESY = [
  /\b(?:check|verify|correct|fix|review|change)(?: (?:it|this|that|them|your input|your details|your data|the data|the form))?(?: again)?(?: and)?(?: please)? (?:try|retry|submit|resubmit|send)(?: again| it again)?\b/g,
  /\b(?:try|retry)(?: (?:it|this|your order|your request|the order|to order))?(?: again)?(?: later| shortly| soon| in a (?:few|moment|minute|while)(?: minutes| moments| seconds)?| after (?:some time|a while|sometime|a few minutes))?\b/g,
  /\b(?:contact|ask|write to|message|reach out to|inform|notify)(?: with| to)?(?: us| our| the| your)?(?: customer| technical| live| panel)?(?: support| admin\w{0,9}| manager| team| owner| staff| help ?desk| seller)?\b/g,
  /\b(?:check|see|read|refer to|visit) (?:your |our |the )?(?:api )?(?:manual|docs?|documentation|guide|faq)\b/g,
  /\b(?:please|kindly|sorry|thank you|thanks)\b/g,
];

/**
 * Returns an error text as the rules read it: lower case without accents, markup, links, names of accounts and the order's
 * own texts, words apart, and "|" between sentences. `courtesies`: whether it asked for patience, which is left out too.
 */
export function plainText(text: string, inputs: readonly string[] = []): { text: string; asksForPatience: boolean } {
  const bare = withoutInputs(unmarked(text), inputs);
  const words = spelledOut(bare);
  let plain = words;
  for (const courtesy of COURTESY) plain = plain.replaceAll(courtesy, " ");
  return {
    text: collapsed(plain),
    asksForPatience: /\b(?:later|again|shortly|soon|wait|moment|a (?:few|while))\b/.test(words),
  };
}

function unmarked(text: string): string {
  return cutText(text, MAX_TEXT)
    .replaceAll(/<[^<>]{0,99}>/g, " ")
    .replaceAll(/&(?:amp|quot|lt|gt|nbsp);/g, (entity) => ENTITIES.get(entity) ?? " ")
    .replaceAll(/&#0?39;|[\u2018\u2019`´]/g, "'");
}

/** Leaves out the order's own texts, in which any word may stand. */
function withoutInputs(text: string, inputs: readonly string[]): string {
  // Codes such as "linkDuplicate".
  const apart = /\s/.test(text.trim()) ? text : text.replaceAll(/([a-z])([A-Z])/g, "$1 $2");
  return ` ${withoutOwnTexts(apart.toLowerCase(), inputs, " ")} `;
}

function spelledOut(text: string): string {
  return collapsed(
    text
      .replaceAll(/\bhttps?:\S{1,300}/g, " ")
      .replaceAll(/(?<!\S)[\w-]{1,60}\.[\w.-]{1,60}\/\S{0,300}/g, " ")
      .replaceAll(/(?<!\S)@[\w.]{1,60}/g, " ")
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .replaceAll("đ", "d")
      .replaceAll("ı", "i")
      .replaceAll("n't", " not")
      .replaceAll(/\bcan(?:no)?t\b/g, "can not")
      .replaceAll(/[.!?;。](?=\s|$)|[\n\r]/g, " | ")
      .replaceAll(/[^\p{L}\p{N}|#$%]/gu, " "),
  );
}

function collapsed(text: string): string {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .join(" ");
}
