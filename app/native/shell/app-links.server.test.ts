import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { appSiteAssociation, assetLinks } from "./app-links.server.ts";

const SET = {
  ANDROID_APP_ID: "example.growline.app",
  ANDROID_CERT_SHA256: "AB:CD, EF:01",
  IOS_APP_ID: "TEAM1.example.growline.app",
};

test("names the operator's apps in both association files", () => {
  expect(assetLinks(SET)).toEqual([
    {
      relation: ["delegate_permission/common.handle_all_urls"],
      target: {
        namespace: "android_app",
        package_name: "example.growline.app",
        sha256_cert_fingerprints: ["AB:CD", "EF:01"],
      },
    },
  ]);
  const apple = appSiteAssociation(SET) as { applinks: { details: { appIDs: string[]; components: object[] }[] } };
  expect(apple.applinks.details[0]?.appIDs).toEqual(["TEAM1.example.growline.app"]);
  const components = apple.applinks.details[0]?.components ?? [];
  expect(components).toContainEqual({ "/": "/dashboard/*" });
  // The first match wins.
  const left = components.findIndex((it) => "exclude" in it);
  expect(components[left]).toEqual({ "/": "/dashboard/account/export", exclude: true });
  expect(left).toBeLessThan(components.findIndex((it) => "/" in it && it["/"] === "/dashboard/*"));
});

test("leaves links from emails to the browser, because their pages are behind the app's gate", () => {
  expect(JSON.stringify(appSiteAssociation(SET))).not.toContain("reset-password");
});

test("leaves Google's callback to the browser that started the connection", () => {
  const { applinks } = appSiteAssociation(SET) as { applinks: { details: { components: { "/": string }[] }[] } };
  const patterns = applinks.details[0]?.components.map((it) => it["/"]) ?? [];
  expect(patterns).toContain("/gmail-sync");
  expect(patterns.filter((it) => it.startsWith("/gmail-sync") && it !== "/gmail-sync")).toEqual([]);
});

test("returns 404 for both files without an app", async () => {
  expect(assetLinks({})).toBeNull();
  expect(appSiteAssociation({})).toBeNull();
  for (const path of ["assetlinks.json", "apple-app-site-association"]) {
    expect((await SELF.fetch(`https://growline.test/.well-known/${path}`)).status, path).toBe(404);
  }
});
