import { SELF } from "cloudflare:test";
import { expect } from "vitest";
import { SAME_SITE, SITE } from "./all-routes.ts";

/** Pages and their forms, as a browser without scripts reads and sends them. */

export type Fields = Record<string, string>;

/** Returns a page as it was sent. */
export async function readPage({ cookie }: { cookie: string }, path: string): Promise<string> {
  const response = await SELF.fetch(SITE + path, { headers: { Cookie: cookie } });
  return response.text();
}

/** Returns what a browser would send with the form of that intent on a page. */
export async function openForm({ cookie }: { cookie: string }, path: string, intent: string): Promise<Fields> {
  const response = await SELF.fetch(SITE + path, { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return formFields(await response.text(), intent);
}

export async function postForm({ cookie }: { cookie: string }, path: string, fields: Fields) {
  const body = new URLSearchParams(fields);
  const response = await SELF.fetch(SITE + path, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: cookie },
    body,
    redirect: "manual",
  });
  return { status: response.status, html: await response.text() };
}

/** Returns what a browser would send with the form of that intent, of something that others can edit too. */
export async function formFields(html: string, intent: string): Promise<Fields> {
  const forms: Fields[] = [];
  let area: string | null = null;
  let select = "";
  let isChosen = false;
  let isBare = false;
  const set = (name: string | null, value: string) => {
    if (name) Object.assign(forms.at(-1) ?? {}, { [name]: value });
  };
  const rewriter = new HTMLRewriter()
    .on("form", { element: () => void forms.push({}) })
    .on("form input", {
      element(input) {
        const type = input.getAttribute("type");
        const isTicked = type !== "checkbox" && type !== "radio" ? true : input.hasAttribute("checked");
        if (isTicked)
          set(input.getAttribute("name"), decoded(input.getAttribute("value") ?? (type === "checkbox" ? "on" : "")));
      },
    })
    .on("form textarea", {
      element(element) {
        area = element.getAttribute("name");
        set(area, "");
      },
      text({ text }) {
        if (area) set(area, (forms.at(-1)?.[area] ?? "") + decoded(text));
      },
    })
    .on("form select", {
      element(element) {
        select = element.getAttribute("name") ?? "";
      },
    })
    .on("form option", {
      element(option) {
        isChosen = forms.at(-1)?.[select] === undefined || option.hasAttribute("selected");
        const value = option.getAttribute("value");
        isBare = value === null;
        if (isChosen) set(select, decoded(value ?? ""));
      },
      // An option without a value is sent as its text.
      text({ text }) {
        if (isChosen && isBare && text !== "") set(select, decoded(text));
      },
    });
  await rewriter.transform(new Response(html)).text();
  const found = forms.find((fields) => (fields.intent ?? "") === intent && ("version" in fields || "at" in fields));
  if (!found) throw new Error(`no form of ${intent}`);
  return found;
}

/** Returns the text of the section with that label, with single spaces. */
export function sectionText(html: string, label: string): string {
  const section = html.split(`aria-label="${label}"`)[1]?.split("</section>")[0] ?? "";
  return decoded(
    section
      .replace(/^[^>]*>/, "")
      .replace(/<!-- -->/g, "")
      .replace(/<[^>]*>/g, " "),
  )
    .replace(/\s+/g, " ")
    .replace(/ ([,.])/g, "$1")
    .trim();
}

export function decoded(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
