import { expect, test } from "vitest";
import { cleanMessage, cleanName, isBlank } from "./clean-text.ts";

test("finds texts of which nothing is seen", () => {
  for (const blank of ["", " \n\t", "\u200b", "\u200d\u2060", "\u3164", "\ufeff \u00ad", "\u2800", "\ufe0f"]) {
    expect(isBlank(blank), JSON.stringify(blank)).toBe(true);
    expect(cleanName(blank), JSON.stringify(blank)).toBe("");
  }
  for (const seen of ["a", "👩‍💻", "می‌خواهم", "\u200b.", "‏שלום"])
    expect(isBlank(seen), JSON.stringify(seen)).toBe(false);
});

test("removes what turns the direction, and leaves joiners and the marks of messages", () => {
  expect(cleanName("invoice\u202Egpj.exe")).toBe("invoicegpj.exe");
  expect(cleanName(" A\u0000d\u200Ba\u2069\u200F ")).toBe("Ada");
  expect(cleanName("Ada\r\n\tLovelace\u2028\u0085Jr.\n")).toBe("Ada Lovelace Jr.");
  expect(cleanName("half \ud83d")).toBe("half \ufffd");
  expect(cleanName("👩‍💻 می‌خواهم")).toBe("👩‍💻 می‌خواهم");
  expect(cleanMessage("see \u202Emoc.elgoog\u202C\u2066!\u2069")).toBe("see moc.elgoog!");
  expect(cleanMessage("‏שלום‎\n👩‍💻")).toBe("‏שלום‎\n👩‍💻");
});
