import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "../arrows.ts";
import { EXCEPTIONS, faultOf, JUDGED_LIST, judgedLine } from "./judge-expression.ts";
import { isPlainlyLinear, regularExpressions } from "./regular-expressions.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** `vitest run --update` on this file writes the list. An expression that it lacks is checked by each `npm test`. */
test(
  "has listed as linear exactly what the checker finds linear",
  async () => {
    const left = regularExpressions(sourceFiles(ROOT)).flatMap(({ path, text, source, flags }) =>
      source === null || isPlainlyLinear(source, flags) || Object.hasOwn(EXCEPTIONS, `${path} ${text}`)
        ? []
        : { source, flags },
    );
    const lines = new Set<string>();
    for (const { source, flags } of left) {
      const line = judgedLine(source, flags);
      if (!lines.has(line) && (await faultOf(source, flags, new Set())) === null) lines.add(line);
    }
    await expect(`${[...lines].sort().join("\n")}\n`).toMatchFileSnapshot(JUDGED_LIST);
  },
  10 * 60_000,
);
