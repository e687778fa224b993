import { expect, test } from "vitest";
import { countNewTerms, newTermsText } from "./new-terms.ts";

test("says which types and limits a decision changes besides prices", () => {
  const price = { hasNewType: false, hasNewLimits: false };
  const type = { hasNewType: true, hasNewLimits: false };
  const limits = { hasNewType: false, hasNewLimits: true };
  const both = { hasNewType: true, hasNewLimits: true };
  const text = (...changes: (typeof price)[]) => newTermsText(countNewTerms(changes));
  expect(text(price, price)).toBeNull();
  expect(text(price, type)).toBe("Whatever you choose, 1 service changes its type to the provider's.");
  expect(text(limits)).toBe("Whatever you choose, 1 service changes its limits to the provider's.");
  expect(text(limits, limits)).toBe("Whatever you choose, 2 services change their limits to the provider's.");
  expect(text(both, type, price)).toBe(
    "Whatever you choose, 2 services change their type and 1 changes its limits to the provider's.",
  );
});
