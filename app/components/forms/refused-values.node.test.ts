import { type ComponentProps, createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from "react-router-dom/server.js";
import { expect, test } from "vitest";
import { ActionForm } from "./action-form.tsx";
import type { Control } from "./field.tsx";
import { FormCheckbox, FormField } from "./form-field.tsx";
import { Select } from "./select.tsx";
import { Textarea } from "./textarea.tsx";

type Sent = string | null;
/** A control named "it", and how a browser would send what the page shows. Null: it sends nothing. */
type Kind = { states: Sent[]; control: (initial: Sent) => ReactNode; sentBy: (html: string) => Sent };

const label = "It";
const name = "it";
const TEXTS = ["", "one", "two"];

const KINDS: Record<string, Kind> = {
  "a text field": {
    states: TEXTS,
    control: (initial) => createElement(FormField, { name, label, initial: initial ?? "" }),
    sentBy: (html) => / value="([^"]*)"/.exec(html)?.[1] ?? null,
  },
  "a text area": {
    states: TEXTS,
    control: (initial) => fieldOf(initial, (props) => createElement(Textarea, props)),
    sentBy: (html) => /<textarea[^>]*>([^<]*)</.exec(html)?.[1] ?? null,
  },
  "a choice": {
    states: TEXTS,
    control: (initial) => {
      const options = TEXTS.map((option) => createElement("option", { key: option, value: option }, option));
      return fieldOf(initial, (props) => createElement(Select, props, options));
    },
    sentBy: (html) => /<option value="([^"]*)" selected/.exec(html)?.[1] ?? null,
  },
  "a checkbox": {
    states: [null, "on"],
    control: (initial) => createElement(FormCheckbox, { name, label, initial: initial !== null }),
    sentBy: (html) => (/<input[^>]* checked=""/.test(html) ? "on" : null),
  },
};

const CHANGES = Object.entries(KINDS).flatMap(([kind, { states }]) =>
  states.flatMap((initial) => states.map((typed) => ({ kind, initial, typed }))),
);

test.for(CHANGES)("shows $kind that was $initial as it was left, $typed, after a refusal", async (change) => {
  const { control, sentBy } = KINDS[change.kind] as Kind;
  expect(sentBy(await render(control(change.initial), null))).toBe(change.initial);
  // The browser sent this, together with another field that was wrong.
  const values: Record<string, string> = { other: "wrong", ...(change.typed !== null && { [name]: change.typed }) };
  expect(sentBy(await render(control(change.initial), values))).toBe(change.typed);
});

/** Returns a field with another control than a text input. */
function fieldOf(
  initial: Sent,
  control: (props: Control & { name: string; defaultValue: string | number }) => ReactNode,
) {
  const children: ComponentProps<typeof FormField>["children"] = (props, value) =>
    control({ ...props, defaultValue: value });
  return createElement(FormField, { name, label, initial: initial ?? "", children });
}

/** Renders a form as the server does, after a refused submission of the values, or before any. */
async function render(control: ReactNode, values: Record<string, string> | null): Promise<string> {
  const result = values && { intent: "", ok: false, fieldErrors: { other: "Wrong" }, values };
  const routes = [{ path: "/", element: createElement(ActionForm, { result }, control) }];
  const context = await createStaticHandler(routes).query(new Request("https://growline.example/"));
  if (context instanceof Response) throw new Error("the form has no page");
  const router = createStaticRouter(routes, context);
  return renderToStaticMarkup(createElement(StaticRouterProvider, { router, context, hydrate: false }));
}
