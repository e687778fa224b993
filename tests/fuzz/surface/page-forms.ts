import type { Fields } from "../cases/request-bodies.ts";

/** A form as its page shows it: every field with its value, and the values that its buttons add. */
export type PageForm = { action: string; fields: Fields; buttons: Fields };

/** Returns the posting forms on a page. `path` is the page's own. */
export function formsIn(html: string, path: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, tag = "", inside = ""]) => {
    if (attribute(tag, "method")?.toLowerCase() !== "post") return [];
    const fields: Fields = [];
    const buttons: Fields = [];
    for (const [, kind, attributes = "", content = ""] of inside.matchAll(
      /<(input|textarea|button|select)\b([^>]*?)\/?>(?:([^<]*)<\/textarea>)?/g,
    )) {
      const name = attribute(attributes, "name");
      if (!name) continue;
      const value = attribute(attributes, "value") ?? decode(content);
      (kind === "button" ? buttons : fields).push([name, value]);
    }
    return [{ action: attribute(tag, "action") ?? path, fields, buttons }];
  });
}

/** Returns the addresses of this site that a page links to. */
export function linksIn(html: string): string[] {
  return [...html.matchAll(/href="(\/[^"/][^"]*)"/g)].map(([, path = ""]) => decode(path));
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : decode(found);
}

function decode(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
