import { expect, test } from "vitest";
import { isSenderVerified } from "./sender-check.ts";

const ADA = "ada@visitor.example";

/** Returns whether an email of Ada's with these results, each as the mail server writes it, counts as hers. */
function isAdas(...results: string[]): boolean {
  const value = ["mx.cloudflare.net", ...results].join("; ");
  return isSenderVerified([{ key: "authentication-results", value }], ADA, "bounces@mailer.example");
}

test.for([
  ["dkim=pass header.d=visitor.example header.s=s1"],
  ["dkim=fail header.d=visitor.example", "dkim=pass header.d=visitor.example"],
  ["dkim=pass header.d=mailer.example", "spf=pass smtp.mailfrom=bounces@visitor.example"],
  ["spf=pass (mx.cloudflare.net: designates 192.0.2.1) smtp.mailfrom=visitor.example"],
])("takes the domain's own signature or sending server where it has no DMARC policy: %j", (results) => {
  expect(isAdas(...results)).toBe(true);
  expect(isAdas("dmarc=none", ...results)).toBe(true);
  expect(isAdas("dmarc=fail header.from=visitor.example", ...results)).toBe(false);
});

test.for([
  ["dkim=pass header.d=mailer.example", "spf=pass smtp.mailfrom=bounces@mailer.example"],
  ["dkim=none", "spf=none"],
  ["dkim=neutral header.d=visitor.example", "spf=softfail smtp.mailfrom=ada@visitor.example"],
  ["dkim=pass header.d=evilvisitor.example"],
  ["dkim=pass header.d=example"],
  ["dkim=pass header.d="],
  ["dkim=pass"],
  ["spf=pass smtp.helo=visitor.example"],
  ["spf=pass smtp.mailfrom=visitor.example@mailer.example"],
  ["arc=pass header.d=visitor.example"],
])("takes no result of another domain or kind: %j", (results) => {
  expect(isAdas(...results)).toBe(false);
  expect(isAdas("dmarc=none", ...results)).toBe(false);
});

test("takes the signature of the domain above the sender's, whose mail it sends", () => {
  const value = "mx.cloudflare.net; dkim=pass header.d=visitor.example";
  const headers = [{ key: "authentication-results", value }];
  expect(isSenderVerified(headers, "ada@mail.visitor.example", ADA)).toBe(true);
  expect(isSenderVerified(headers, "ada@mailvisitor.example", ADA)).toBe(false);
});
