import { expect, test } from "vitest";
import { demoCatalog } from "#tools/demo/demo-catalog.ts";
import { readLink } from "./read-link.ts";
import { acceptedLink, judgeLink, linkFromName, linkKindOf, linkNetworkOf, readName } from "./service-links.ts";

test("says what a service takes, with the usual form of its link", () => {
  const shown = demoCatalog().map((service) => acceptedLink({ ...service, linkKind: linkKindOf(service) }));
  expect(new Set(shown)).toContain("a post, like https://www.instagram.com/p/…");
  expect(new Set(shown)).toContain("a video, like https://www.tiktok.com/@name/video/…");
  expect(new Set(shown)).toContain("a channel, like https://www.youtube.com/@name");
  expect(new Set(shown)).toContain("a page or profile, like https://www.facebook.com/name");
  expect(new Set(shown)).toContain("a website, like https://example.com");
});

test("reads the example of a service as a link that it takes", () => {
  for (const service of demoCatalog()) {
    const terms = { ...service, linkKind: linkKindOf(service) };
    const example = acceptedLink(terms).split("like ")[1]?.replace("…", "12345678901") ?? "";
    if (terms.linkKind !== "any")
      expect(judgeLink(terms, example).verdict, `${service.name}: ${example}`).toBe("right");
  }
});

test("names what a link leads to", () => {
  expect(readName(readLink("https://www.tiktok.com/@nora/video/7301234567890123456"))).toBe("a TikTok video");
  expect(readName(readLink("https://instagram.com/nora"))).toBe("an Instagram profile");
  expect(readName(readLink("https://example.com/shop"))).toBe("a website");
});

test("knows no network where the names of a service tell two, and judges nothing then", () => {
  const service = { network: "Instagram", category: "YouTube views", name: "YouTube views from Instagram" };
  expect(linkNetworkOf(service)).toBeNull();
  expect(linkKindOf({ ...service, type: "Default" })).toBe("any");
  expect(judgeLink({ ...service, linkKind: "any" }, "https://example.com").verdict).toBe("unsure");
  const unknown = { network: "Likee", category: "Likee Followers", name: "Likee followers" };
  expect(judgeLink({ ...unknown, linkKind: "profile" }, "https://likee.video/@nora").verdict).toBe("unsure");
});

test("takes @name only where a service takes profiles", () => {
  const named = { network: "TikTok", category: "TikTok Followers", name: "TikTok followers" };
  expect(linkFromName({ ...named, linkKind: "profile" }, " @nora.bakes ")).toBe("https://www.tiktok.com/@nora.bakes");
  expect(linkFromName({ ...named, linkKind: "video" }, "@nora.bakes")).toBeNull();
  expect(linkFromName({ ...named, linkKind: "profile" }, "@nora bakes")).toBeNull();
  expect(linkFromName({ ...named, linkKind: "profile" }, "@nora/../../x")).toBeNull();
});
