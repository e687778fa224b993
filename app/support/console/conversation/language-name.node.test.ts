import { expect, test } from "vitest";
import { languageName } from "./language-name.ts";

test("names a language in the reader's, and repeats a tag that is none", () => {
  expect(languageName("de-AT", "en-US")).toBe("Austrian German");
  expect(languageName("fr", "de")).toBe("Französisch");
  expect(languageName("not a tag", "en-US")).toBe("not a tag");
});
