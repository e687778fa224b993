import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { FormatsProvider } from "./formats-provider.tsx";
import { Money, Rate } from "./money-amount.tsx";

test("shows cents, and the exact amount on hover if it differs", () => {
  expect(render(Money, 237_714_290)).toContain('title="$237.71429"');
  expect(render(Money, 237_714_290)).toContain(">$237.71<");
  expect(render(Money, 237_710_000)).not.toContain("title");
});

test("shows as many digits of a rate as it needs", () => {
  expect(render(Rate, 278_190)).toContain(">$0.27819<");
});

function render(component: FunctionComponent<{ micro: number }>, micro: number): string {
  const page: FunctionComponent = () =>
    FormatsProvider({ locale: "en-US", children: createElement(component, { micro }) });
  return renderToStaticMarkup(createElement(page));
}
