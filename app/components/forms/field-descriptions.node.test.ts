import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from "react-router-dom/server.js";
import { expect, test } from "vitest";
import { ActionForm } from "./action-form.tsx";
import { type Control, Field, Input } from "./field.tsx";
import { FormField } from "./form-field.tsx";
import { PasswordInput } from "./password-input.tsx";
import { Select } from "./select.tsx";
import { Textarea } from "./textarea.tsx";

const LABEL = "The label";
const HELP = "What to enter";
const ERROR = "Enter something";

type Shown = { help: string | undefined; error: string | undefined };
type Kind = (shown: Shown) => ReactNode;

/** Each kind of field, with a help and an error or without. */
const KINDS: Record<string, Kind> = {
  "an input": field((control) => createElement(Input, control)),
  "a text area": field((control) => createElement(Textarea, control)),
  "a choice": field((control) => createElement(Select, control)),
  "a password": field((control) => createElement(PasswordInput, control)),
  "an input of a form": formField(),
  "a text area of a form": formField((control) => createElement(Textarea, control)),
  "a choice of a form": formField((control) => createElement(Select, control)),
  "a password of a form": formField((control) => createElement(PasswordInput, control)),
};

const WAYS = Object.keys(KINDS).flatMap((kind) =>
  [undefined, HELP].flatMap((help) => [undefined, ERROR].map((error) => ({ kind, help, error }))),
);

test.for(WAYS)("describes $kind by all that is shown of its help, $help, and its error, $error", async (way) => {
  const html = await render(KINDS[way.kind]?.(way));
  const [control = ""] = /<(input|textarea|select)\b[^>]*>/.exec(html) ?? [];
  const described = (attributeOf(control, "aria-describedby") ?? "").split(" ").filter((id) => id !== "");
  // The error first: it is what has just changed.
  const shown = [way.error, way.help].filter((text) => text !== undefined);
  expect(described.map((id) => textById(html, id))).toEqual(shown);
  expect(attributeOf(control, "aria-invalid")).toBe(way.error ? "true" : undefined);
  const id = attributeOf(control, "id") ?? "";
  expect(html).toContain(`<label for="${id}"`);
  for (const text of [LABEL, ...shown]) expect(html.split(text), text).toHaveLength(2);
});

function field(children: (control: Control) => ReactNode): Kind {
  return ({ help, error }) => createElement(Field, { id: "it", label: LABEL, help, error, children });
}

function formField(children?: (control: Control & { name: string }) => ReactNode): Kind {
  return ({ help, error }) => {
    const result = error === undefined ? null : { intent: "", ok: false, fieldErrors: { it: error }, values: {} };
    const shown = createElement(FormField, { name: "it", label: LABEL, help, ...(children && { children }) });
    return createElement(ActionForm, { result }, shown);
  };
}

async function render(element: ReactNode): Promise<string> {
  const routes = [{ path: "/", element }];
  const context = await createStaticHandler(routes).query(new Request("https://growline.example/"));
  if (context instanceof Response) throw new Error("the form has no page");
  const router = createStaticRouter(routes, context);
  return renderToStaticMarkup(createElement(StaticRouterProvider, { router, context, hydrate: false }));
}

function attributeOf(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
}

/** Returns the text of the paragraph with this id, or null if no element has it. */
function textById(html: string, id: string): string | null {
  const [, content] = html.split(` id="${id}"`);
  return (
    content
      ?.split("</p>")[0]
      ?.replace(/^[^>]*>/, "")
      .replace(/<[^>]*>/g, "") ?? null
  );
}
