import { type ChangeEvent, useEffect, useMemo, useState } from "react";
import type { LinkFilter } from "#app/orders/catalog/link-filter.ts";
import type { ChosenOffer } from "#app/orders/catalog/offers.server.ts";

type LinkRules = typeof import("#app/orders/rules/links/service-links.ts");

/** What the form says about the entered link. */
export type LinkView = {
  /** The service takes this link. */
  right: string | null;
  /** The service refuses this link. */
  wrong: string | null;
  /** The customer has to agree to this link. `value` is what the checkbox sends. */
  doubt: { text: string; value: string } | null;
};

/** Inputs of somebody who may still be typing. Others are pasted, restored or filled in by the browser. */
const TYPING = /^(insertText|insertCompositionText|delete)/;
/** More characters at once than a key or a suggested word adds. */
const FILLED_CHARACTERS = 12;

/**
 * Checks the link while the form is filled in: after it was pasted, or typed and left. The server checks it again. The
 * rules are loaded once the field is entered.
 */
export function useLinkCheck(offer: ChosenOffer, fill: (name: string, value: string) => void) {
  const [typed, setTyped] = useState("");
  const [link, setLink] = useState("");
  const [rules, setRules] = useState<LinkRules | null>(null);
  const [isWanted, setWanted] = useState(false);

  useEffect(() => {
    if (rules || !(isWanted || link)) return;
    // Without the rules, the server alone checks.
    import("#app/orders/rules/links/service-links.ts").then(setRules, () => undefined);
  }, [link, rules, isWanted]);

  const view = useMemo(() => (rules && link ? viewOf(rules, offer, link) : null), [rules, offer, link]);
  const filter = useMemo(() => (rules && link ? filterOf(rules, link) : null), [rules, link]);

  return {
    view,
    filter,
    takes: offer.takes === null ? null : `Paste a link to ${offer.takes}`,
    events: {
      onFocus: () => setWanted(true),
      onChange: ({ target: { value }, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
        fill("link", value);
        setTyped(value);
        const { inputType = "", data } = nativeEvent as Partial<InputEvent>;
        const isTyping = TYPING.test(inputType) && (data?.length ?? 0) <= FILLED_CHARACTERS;
        setLink(isTyping ? "" : value.trim());
      },
      onBlur: () => setLink(typed.trim()),
    },
  };
}

function viewOf(rules: LinkRules, offer: ChosenOffer, given: string): LinkView {
  const { judgeLink, linkFromName, readName, seenBefore, acceptedLink, trimLink, unseenLinkText } = rules;
  const link = trimLink(given);
  const before = seenBefore(link);
  if (before !== null) return { right: null, wrong: unseenLinkText(before), doubt: null };
  const { verdict, read } = judgeLink(offer, linkFromName(offer, link) ?? link);
  const none = { right: null, wrong: null, doubt: null };
  if (offer.linkCheck === "off" || verdict === "unsure") return none;
  if (verdict === "right") {
    const name = readName(read);
    return { ...none, right: `${name[0]?.toUpperCase()}${name.slice(1)}${read.link === link ? "" : `: ${read.link}`}` };
  }
  const takes = acceptedLink(offer);
  if (offer.linkCheck === "strict") return { ...none, wrong: `Paste a link to ${takes}` };
  const text = `This looks like ${readName(read)}. This service takes ${takes}.`;
  return { ...none, doubt: { text, value: `${offer.id} ${link}` } };
}

function filterOf({ readLink, readName, verdictOf }: LinkRules, link: string): LinkFilter | null {
  const read = readLink(link);
  if (read.target === "unknown" || read.target === "other") return null;
  return {
    name: readName(read),
    takes: (entry) => entry.linkCheck === "off" || verdictOf(entry, read) === "right",
  };
}
