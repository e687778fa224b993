import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  entitlements,
  offlinePage,
  withDeepLinks,
  withEntitlements,
  withFirebase,
  withInfo,
} from "./native-projects.ts";

const assets = join(dirname(createRequire(import.meta.url).resolve("@capacitor/cli/package.json")), "assets");
const LINKS = {
  host: "growline.example",
  scheme: "growline",
  links: [{ path: "/dashboard", below: true }, { path: "/gmail-sync" }],
};

/** Returns a file from Capacitor's project template. */
function template(archive: string, path: string): string {
  const folder = mkdtempSync(join(tmpdir(), "growline-template-"));
  try {
    execFileSync("tar", ["xzf", join(assets, archive), "-C", folder]);
    return readFileSync(join(folder, path), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("fills in the offline page's name and URL", () => {
  const page = offlinePage("https://growline.example", "Growline");
  expect(page).toContain("<title>Growline</title>");
  expect(page).toContain('location.replace("https://growline.example/")');
  expect(page).not.toMatch(/%[A-Z]+%/);
});

test("adds our links to Android's manifest and turns backups off, once", () => {
  const before = template("android-template.tar.gz", "app/src/main/AndroidManifest.xml");
  const manifest = withDeepLinks(before, LINKS);
  expect(manifest).toContain('<intent-filter android:autoVerify="true">');
  expect(manifest).toContain('<data android:host="growline.example" />');
  expect(manifest).toContain('<data android:path="/dashboard" />');
  expect(manifest).toContain('<data android:pathPrefix="/dashboard/" />');
  // The paths below include Google's callback, which may belong to a browser.
  expect(manifest.match(/"\/gmail-sync[^"]*"/g)).toEqual(['"/gmail-sync"']);
  expect(manifest).toContain('<data android:scheme="growline" />');
  expect(manifest).toContain('android:allowBackup="false"');
  expect(manifest.match(/<\/activity>/g)).toHaveLength(1);
  expect(manifest.match(/<intent-filter/g)).toHaveLength(3);
  expect(withDeepLinks(manifest, LINKS)).toBe(manifest);
});

test("adds the name, our scheme and the entitlements to the iOS project, once", () => {
  const plist = withInfo(template("ios-spm-template.tar.gz", "App/App/Info.plist"), {
    name: "Growline",
    scheme: "growline",
  });
  expect(plist).toMatch(/<key>CFBundleDisplayName<\/key>\s*<string>Growline<\/string>/);
  expect(plist).toMatch(/<key>CFBundleURLSchemes<\/key>\s*<array>\s*<string>growline<\/string>/);
  expect(plist.trimEnd().endsWith("</plist>")).toBe(true);
  expect(withInfo(plist, { name: "Growline", scheme: "growline" })).toBe(plist);

  const project = withEntitlements(template("ios-spm-template.tar.gz", "App/App.xcodeproj/project.pbxproj"));
  expect(project.match(/CODE_SIGN_ENTITLEMENTS = App\/App\.entitlements;/g)).toHaveLength(2);
  expect(withEntitlements(project)).toBe(project);
});

test("hands Firebase's token to the push plugin on iOS, once, and registers only an app with Firebase", () => {
  const delegate = withFirebase(template("ios-spm-template.tar.gz", "App/App/AppDelegate.swift"));
  expect(delegate).toContain("import FirebaseMessaging\n");
  expect(delegate).toMatch(/didFinishLaunchingWithOptions[^}]*FirebaseApp\.configure\(\)\s+return true/);
  expect(delegate).toContain("name: .capacitorDidRegisterForRemoteNotifications, object: token)");
  expect(delegate.match(/\{/g)).toHaveLength(delegate.match(/\}/g)?.length ?? 0);
  expect(withFirebase(delegate)).toBe(delegate);
  expect(entitlements({ host: "growline.example", push: true })).toContain("<key>aps-environment</key>");
  expect(entitlements({ host: "growline.example", push: false })).not.toContain("aps-environment");
});

test("throws if a template doesn't match instead of changing it partially", () => {
  expect(() => withDeepLinks("<manifest/>", LINKS)).toThrow(/template has changed/);
  expect(() => withEntitlements("")).toThrow(/CODE_SIGN_STYLE/);
});
