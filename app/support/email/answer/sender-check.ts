/** One header of an email. `key`: its name in lower case. */
type Header = { key: string; value: string };

/** The name that Cloudflare's mail servers give themselves in Authentication-Results. */
const RECEIVER = "mx.cloudflare.net";
/** Others can hide text that looks like a result in the header that repeats them. */
const PLAIN_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i;

/**
 * Returns whether the receiving mail server has found that the email comes from the domain of `from`: by DMARC, or, for a
 * domain without a DMARC policy, by DKIM or SPF of the same domain. A sender can add such headers too, so there must be
 * exactly one of the server's name, and it must be the first. `envelopeFrom`: the address of the SMTP session.
 */
export function isSenderVerified(headers: Header[], from: string, envelopeFrom: string): boolean {
  const domain = PLAIN_ADDRESS.exec(from)?.[1]?.toLowerCase();
  if (domain === undefined || !PLAIN_ADDRESS.test(envelopeFrom)) return false;
  const stamped = headers.filter(({ key }) => key === "authentication-results").map(({ value }) => value);
  const [first = "", ...others] = stamped;
  if (receiverOf(first) !== RECEIVER || others.some((value) => receiverOf(value) === RECEIVER)) return false;
  const results = resultsOf(first);
  const dmarc = results.filter(({ method }) => method === "dmarc");
  if (dmarc.length > 1) return false;
  if (dmarc[0] && dmarc[0].result !== "none") {
    return dmarc[0].result === "pass" && dmarc[0].properties.get("header.from") === domain;
  }
  return results.some(({ method, result, properties }) => {
    if (result !== "pass") return false;
    if (method === "dkim") return isAligned(domain, properties.get("header.d") ?? "");
    return method === "spf" && isAligned(domain, properties.get("smtp.mailfrom")?.split("@").at(-1) ?? "");
  });
}

function receiverOf(value: string): string {
  return value.split(";", 1)[0]?.trim().split(/\s/, 1)[0]?.toLowerCase() ?? "";
}

/** Splits the header as RFC 8601 writes it: "receiver; method=result property=value …; …". Comments say nothing. */
function resultsOf(value: string) {
  const [, ...results] = withoutComments(value).toLowerCase().split(";");
  return results.map((text) => {
    const [[method = "", result = ""] = [], ...properties] = text
      .trim()
      .split(/\s+/)
      .map((pair): [string, string] => {
        const at = pair.indexOf("=");
        return [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)];
      });
    return { method, result, properties: new Map(properties) };
  });
}

function withoutComments(text: string): string {
  let depth = 0;
  let rest = "";
  for (const letter of text) {
    if (letter === "(") depth += 1;
    else if (letter === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) rest += letter;
  }
  return rest;
}

function isAligned(domain: string, signer: string): boolean {
  return domain === signer || (signer.includes(".") && domain.endsWith(`.${signer}`));
}
