import { SELF } from "cloudflare:test";
import { type AppLoadContext, data } from "@remix-run/cloudflare";
import { expect, test } from "vitest";
import { routesWithAction, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import * as build from "../../build/server/index.js";
import {
  limitedAnswer,
  MAX_ANSWER_CHARACTERS,
  MAX_ANSWER_DEPTH,
  MAX_ANSWER_VALUES,
  withAnswerLimit,
} from "./answer-limit.ts";

/** What single fetch adds to the characters of a text, and the page's other data. */
const MAX_BODY_CHARACTERS = MAX_ANSWER_CHARACTERS * 1.1;
/** Below what the largest form of each route allows, and above all but two. */
const SIZES = [60_000, 1_900_000, ...(atScale(0, 1) ? [11_000_000] : [])];

test("repeats a bounded part of what any form sent", async () => {
  const { pages, resources } = routesWithAction();
  const { cookie } = await signedIn("admin");
  const longest: Record<number, number> = {};
  for (const route of [...pages, ...resources].filter((path) => path !== "/logout")) {
    const path = route.replaceAll(/:\w+/g, "1");
    const page = pages.includes(route) ? await textOf(path, { headers: { Cookie: cookie } }) : "";
    for (const form of formsIn(page)) {
      for (const size of SIZES) {
        const body = filled(form.fields, size);
        const action = form.action.startsWith("/") ? form.action : path + form.action;
        const headers = { ...SAME_SITE, Cookie: cookie };
        const answer = await textOf(action.replace(/(?=\?|$)/, ".data"), { method: "POST", headers, body });
        expect(answer.length, `${action} ${size}`).toBeLessThan(MAX_BODY_CHARACTERS);
        longest[size] = Math.max(longest[size] ?? 0, answer.length);
      }
    }
  }
  // Some form does show again what it was sent.
  expect(longest[60_000]).toBeGreaterThan(20_000);
});

test("shows a form's error without the typed values where they are too long", () => {
  const result = {
    intent: "order",
    ok: false,
    message: "Too few",
    values: { comments: "a".repeat(MAX_ANSWER_CHARACTERS) },
  };
  const headers = new Headers({ "Retry-After": "1" });
  const answer = limitedAnswer(data({ order: result, offer: null }, { status: 400, headers })) as ReturnType<
    typeof data
  >;
  expect(answer.data).toEqual({ order: { ...result, values: {} }, offer: null });
  expect(answer.init?.status).toBe(400);
  expect(new Headers(answer.init?.headers).get("Retry-After")).toBe("1");
  const short = data({ ...result, values: { comments: "a" } });
  expect(limitedAnswer(short)).toBe(short);
});

test("refuses an answer with too many characters, values or levels", async () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { next: deep(levels - 1) });
  for (const [long, fitting] of [
    ["a".repeat(MAX_ANSWER_CHARACTERS + 1), "a".repeat(MAX_ANSWER_CHARACTERS)],
    [Array(MAX_ANSWER_VALUES).fill(1), Array(MAX_ANSWER_VALUES - 1).fill(1)],
    [deep(MAX_ANSWER_DEPTH + 1), deep(MAX_ANSWER_DEPTH)],
    [{ ["a".repeat(MAX_ANSWER_CHARACTERS + 1)]: 1 }, { a: 1 }],
  ]) {
    expect(limitedAnswer(fitting)).toBe(fitting);
    const refusal = await Promise.resolve()
      .then(() => limitedAnswer(long))
      .catch((thrown: unknown) => thrown);
    expect((refusal as Response).status).toBe(413);
  }
});

test("limits what an action throws, and leaves responses as they are", async () => {
  const answers: unknown[] = [data("a".repeat(MAX_ANSWER_CHARACTERS + 1), 400), new Response("a"), new Error("a")];
  for (const answer of answers) {
    const [[id, route] = []] = Object.entries(build.routes).filter(([, { module }]) => module.action);
    if (!id || !route) throw new Error("no route has an action");
    const action = () => Promise.reject(answer);
    const limited = withAnswerLimit({ ...build, routes: { [id]: { ...route, module: { ...route.module, action } } } });
    const args = { request: new Request(SITE), params: {}, context: {} as AppLoadContext };
    const thrown = await Promise.resolve(limited.routes[id]?.module.action?.(args)).catch((one: unknown) => one);
    if (answer instanceof Response || answer instanceof Error) expect(thrown).toBe(answer);
    else expect((thrown as Response).status).toBe(413);
  }
});

type Form = { action: string; fields: [name: string, value: string | null][] };

/** Returns the forms of a page that are posted. A value of null is typed. For other addresses, one with usual names. */
function formsIn(page: string): Form[] {
  const forms = page.match(/<form\b[^>]*method="post"[\s\S]*?<\/form>/g) ?? [];
  const found = forms.map((form) => {
    const fields = (form.match(/<(input|textarea|select|button)\b[^>]*>/g) ?? []).flatMap((tag): Form["fields"] => {
      const [name, value] = [attribute(tag, "name"), attribute(tag, "value")];
      const isTyped = /^<(textarea|input(?![^>]*type="(hidden|radio|checkbox)"))/.test(tag);
      return name === null ? [] : [[name, isTyped ? null : (value ?? "")]];
    });
    return { action: attribute(form, "action") ?? "", fields };
  });
  const usual = ["text", "body", "name", "reason", "email", "lines", "comments", "note"];
  return [...found, { action: "", fields: usual.map((name) => [name, null]) }];
}

function attribute(tag: string, name: string): string | null {
  return new RegExp(`^<[^>]*\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&amp;", "&") ?? null;
}

/** Fills the typed fields with text of this size together. */
function filled(fields: Form["fields"], size: number): URLSearchParams {
  const typed = fields.filter(([, value]) => value === null).length;
  const text = "a".repeat(Math.max(1, Math.floor(size / Math.max(typed, 1)) - 100));
  return new URLSearchParams(fields.map(([name, value]) => [name, value ?? text]));
}

async function textOf(path: string, init: RequestInit): Promise<string> {
  const response = await SELF.fetch(SITE + path, { ...init, redirect: "manual" });
  expect(response.status, path).toBeLessThan(500);
  return response.text();
}
