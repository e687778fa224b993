import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Rollup } from "vite";
import { beforeAll, expect, test } from "vitest";
import { build } from "#tools/run/build.ts";
import { knownErrors } from "../../../vite.config.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const packages = join(root, "node_modules");

beforeAll(async () => {
  await build(root);
}, 420_000);

test("revives an error of a page as one of the language's classes, and constructs nothing else", async () => {
  const { deserializeErrors } = await changed("@remix-run/react/dist/esm/errors.js");
  const revived = withConstructor(() =>
    deserializeErrors({
      known: { __type: "Error", __subType: "RangeError", message: "known" },
      other: { __type: "Error", __subType: "CountedClass", message: "other" },
      inherited: { __type: "Error", __subType: "toString", message: "inherited" },
    }),
  );
  expect(revived.value.known).toBeInstanceOf(RangeError);
  expect(revived.value.other).toBeInstanceOf(Error);
  expect(revived.value.other.message).toBe("other");
  expect(revived.value.inherited.message).toBe("inherited");
  expect(revived.constructed).toBe(0);
});

test("revives an error of an answer as one of the language's classes, and constructs nothing else", async () => {
  const { decode } = await changed("turbo-stream/dist/turbo-stream.mjs");
  for (const [name, expected] of [
    ["RangeError", RangeError],
    ["CountedClass", Error],
    ["Function", Error],
  ] as const) {
    const line = `[["E","a text","${name}"]]\n`;
    const { value, constructed } = withConstructor(() => decode(new Blob([line]).stream()));
    const decoded = (await value).value;
    expect(decoded.constructor, name).toBe(expected);
    expect(decoded.message).toBe("a text");
    expect(constructed).toBe(0);
  }
});

test("builds no script that looks a class up by a name in the data", () => {
  const assets = join(root, "build", "client", "assets");
  const scripts = readdirSync(assets).filter((name) => name.endsWith(".js"));
  const texts = [...scripts.map((name) => join(assets, name)), join(root, "build", "server", "index.js")].map((path) =>
    readFileSync(path, "utf8"),
  );
  expect(texts.filter((text) => text.includes("__subType")).length).toBeGreaterThan(0);
  expect(texts.filter((text) => /(window|globalThis)\[\w+\.__subType\](?!:)/.test(withoutKnown(text)))).toEqual([]);
});

/** Takes out the look-ups that stand behind the check of the name. */
function withoutKnown(text: string): string {
  return text.replaceAll(/URI\)Error\$\/\.test\(\w+\.__subType\) ?\? ?globalThis\[\w+\.__subType\]/g, "");
}

/** Loads a module of a package as the build changes it. */
async function changed(path: string) {
  const file = join(packages, path);
  const { transform } = knownErrors();
  if (typeof transform !== "function") throw new Error("the plugin has no transform");
  const context = { error: (text: string) => expect.unreachable(text) } as unknown as Rollup.TransformPluginContext;
  const done = (await transform.call(context, readFileSync(file, "utf8"), file)) as { code: string };
  const router = pathToFileURL(join(packages, "@remix-run/router/dist/router.cjs.js")).href;
  const code = done.code.replace("from '@remix-run/router'", `from ${JSON.stringify(router)}`);
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
}

/** Calls it with a global class that counts how often it is constructed. */
function withConstructor<T>(call: () => T): { value: T; constructed: number } {
  let constructed = 0;
  class CountedClass {
    constructor() {
      constructed++;
    }
  }
  const globals = globalThis as { CountedClass?: unknown; window?: unknown };
  globals.CountedClass = CountedClass;
  globals.window = globalThis;
  try {
    return { value: call(), constructed };
  } finally {
    delete globals.CountedClass;
    delete globals.window;
  }
}
