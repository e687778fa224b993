import { readFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/**
 * Computes the contrast of every pair of colors that the product uses together, in both themes, with the arithmetic of the
 * browser tests' audits. These see one theme in `npm test`.
 */

type Color = { alpha: number; parseString(text: string): void };
/** Part of axe-core for authors of rules, which its types leave out. */
type Commons = {
  color: {
    Color: new () => Color;
    getContrast(background: Color, ink: Color): number;
    flattenColors(above: Color, below: Color): Color;
  };
};
const { color } = (axe as unknown as { commons: Commons }).commons;

/** WCAG 2.2, 1.4.3 for text and 1.4.11 for what else has to be seen. */
const TEXT = 4.5;
const GRAPHIC = 3;

const root = join(import.meta.dirname, "..", "..");
const css = readFileSync(join(root, "app/styles.css"), "utf8");
const TOKENS = new Map(
  [...css.matchAll(/^ {2}--([\w-]+): light-dark\(([^()]+\([^()]*\)), ([^()]+\([^()]*\))\);$/gm)].map(
    ([, name = "", light = "", dark = ""]) => [name, { light, dark }],
  ),
);
/** Backgrounds of pages, cards and notices. Text of any color may appear on any of them. */
const GROUNDS = [...TOKENS.keys()].filter((name) => /^(surface|raised|sunken)$|-wash$/.test(name));
const THEMES = ["light", "dark"] as const;

type Painted = { name: string; percent: number };
/** The colors of one list of classes, or of one rule of the style sheet. */
type Together = { inks: string[]; grounds: Painted[] };

function inClasses(source: string): Together[] {
  return source.split(/["'`]|\$\{/).flatMap((classes): Together[] => {
    const words = classes.split(/\s+/).flatMap((word) => {
      const [, variants = "", kind, name = "", percent = "100"] =
        /^((?:[^:\s]+:)*)(bg|text)-([a-z-]+)(?:\/(\d+))?$/.exec(word) ?? [];
      // The dot before an item of a list is no text.
      return TOKENS.has(name) && !/(^|:)marker:/.test(variants) ? [{ kind, name, percent: Number(percent) }] : [];
    });
    const inks = words.filter(({ kind }) => kind === "text").map(({ name }) => name);
    const grounds = words.filter(({ kind }) => kind === "bg");
    return words.length > 0 ? [{ inks, grounds }] : [];
  });
}

function inRules(): Together[] {
  return [...css.matchAll(/\{([^{}]*)\}/g)].flatMap(([, body = ""]): Together[] => {
    const named = (property: string) => new RegExp(`(?:^|\\s)${property}: var\\(--([\\w-]+)\\);`).exec(body)?.[1];
    const [ink, ground] = [named("color"), named("background")];
    const grounds = ground === undefined ? [] : [{ name: ground, percent: 100 }];
    return ink === undefined && ground === undefined ? [] : [{ inks: ink === undefined ? [] : [ink], grounds }];
  });
}

const USED = [
  ...Object.entries(sourceFiles(root))
    .filter(([path]) => path.endsWith(".tsx"))
    .flatMap(([, source]) => inClasses(source)),
  ...inRules(),
];

function colorOf(name: string, theme: (typeof THEMES)[number], percent = 100): Color {
  const parsed = new color.Color();
  parsed.parseString(TOKENS.get(name)?.[theme] ?? "");
  parsed.alpha = percent / 100;
  return parsed;
}

/** Returns the pairs below `least`, each with the theme. `ground` may let what is below it shine through. */
function tooWeak(pairs: { ink: string; ground: Painted; below?: string }[], least: number): string[] {
  const found = pairs.flatMap(({ ink, ground, below = "surface" }) =>
    THEMES.flatMap((theme) => {
      const painted = color.flattenColors(colorOf(ground.name, theme, ground.percent), colorOf(below, theme));
      const contrast = color.getContrast(painted, colorOf(ink, theme));
      return contrast < least ? [`${ink} on ${ground.name} in the ${theme} theme: ${contrast.toFixed(2)}`] : [];
    }),
  );
  return [...new Set(found)];
}

const opaque = (name: string): Painted => ({ name, percent: 100 });

test("reads the theme's colors and where they are used", () => {
  expect(TOKENS.size).toBe([...css.matchAll(/^ {2}--color-[\w-]+: var\(--/gm)].length);
  expect(GROUNDS.length).toBeGreaterThan(4);
  expect(USED.filter(({ inks, grounds }) => inks.length > 0 && grounds.length > 0).length).toBeGreaterThan(20);
});

test("gives text enough contrast to what its own element is painted with, in both themes", () => {
  const pairs = USED.flatMap(({ inks, grounds }) => grounds.flatMap((ground) => inks.map((ink) => ({ ink, ground }))));
  expect(pairs).toContainEqual({ ink: "on-accent", ground: opaque("accent") });
  expect(tooWeak(pairs, TEXT)).toEqual([]);
});

test("gives text enough contrast to whatever it may stand on, in both themes", () => {
  const inks = [...new Set(USED.filter(({ grounds }) => grounds.length === 0).flatMap((used) => used.inks))];
  expect(inks).toEqual(expect.arrayContaining(["text", "muted", "accent", "good", "warn", "bad"]));
  expect(
    tooWeak(
      inks.flatMap((ink) => GROUNDS.map((name) => ({ ink, ground: opaque(name) }))),
      TEXT,
    ),
  ).toEqual([]);
  // Highlights within a text are transparent.
  const marks = USED.flatMap(({ grounds }) => grounds).filter(({ percent }) => percent < 100);
  const marked = marks.flatMap((ground) =>
    GROUNDS.flatMap((below) => ["text", "muted"].map((ink) => ({ ink, ground, below }))),
  );
  expect(marked.length).toBeGreaterThan(0);
  expect(tooWeak(marked, TEXT)).toEqual([]);
});

test("shows the frames of fields, and what has the focus, in both themes", () => {
  const pairs = ["surface", "raised", "sunken"].flatMap((name) =>
    ["line-strong", "accent"].map((ink) => ({ ink, ground: opaque(name) })),
  );
  expect(tooWeak(pairs, GRAPHIC)).toEqual([]);
});
