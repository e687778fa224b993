import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { FormatsProvider } from "#app/components/formats/formats-provider.tsx";
import { Chart } from "./chart.tsx";

test("uses only whole numbers on the axis of counts, however few there are", () => {
  for (const most of [0, 1, 2, 3, 5, 7, 40, 1234]) {
    const ticks = ticksOf([0, most]);
    expect(ticks.length, `up to ${most}`).toBeGreaterThan(1);
    expect(
      ticks.filter((tick) => !Number.isInteger(tick)),
      `up to ${most}`,
    ).toEqual([]);
    expect(ticks.at(-1), `up to ${most}`).toBeGreaterThanOrEqual(most);
  }
});

test("uses a fractional axis for fractional values", () => {
  expect(ticksOf([0, 0.75]).some((tick) => !Number.isInteger(tick))).toBe(true);
});

/** Returns the axis labels, lowest first. */
function ticksOf(values: number[]): number[] {
  const points = values.map((value, at) => ({ day: `2026-11-0${at + 1}`, value }));
  const chart = createElement(Chart, { title: "Messages per day", kind: "bars", points, format: String });
  const page = () => FormatsProvider({ locale: "en-US", children: chart });
  const html = renderToStaticMarkup(createElement(page));
  return [...html.matchAll(/<li[^>]*>([^<]*)<\/li>/g)].map(([, text]) => Number(text));
}
