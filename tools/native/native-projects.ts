import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DeepLink } from "#app/native/shell/deep-links.ts";

/** Edits the projects that Capacitor's templates create. Every edit is idempotent. */

/** Returns the page that the shell shows when it starts offline. It uses no plugin and no script of the product. */
export function offlinePage(origin: string, name: string): string {
  const template = readFileSync(join(import.meta.dirname, "native-error.html"), "utf8");
  return template.replaceAll("%ORIGIN%", origin).replaceAll("%NAME%", name);
}

const DEEP_LINKS = "<!-- Deep links -->";

/** Makes our links open the app: https links if the domain is verified, links of our own scheme always. */
export function withDeepLinks(manifest: string, app: { host: string; scheme: string; links: DeepLink[] }): string {
  if (manifest.includes(DEEP_LINKS)) return manifest;
  const paths = app.links
    .flatMap(({ path, below }) => [`android:path="${path}"`, ...(below ? [`android:pathPrefix="${path}/"`] : [])])
    .map((match) => `                <data ${match} />`)
    .join("\n");
  const view = `<action android:name="android.intent.action.VIEW" />
                <category android:name="android.intent.category.DEFAULT" />
                <category android:name="android.intent.category.BROWSABLE" />`;
  const filters = `            ${DEEP_LINKS}
            <intent-filter android:autoVerify="true">
                ${view}
                <data android:scheme="https" />
                <data android:host="${app.host}" />
${paths}
            </intent-filter>
            <intent-filter>
                ${view}
                <data android:scheme="${app.scheme}" />
            </intent-filter>

        </activity>`;
  return replaceOnce(manifest, /\s*<\/activity>/, `\n\n${filters}`)
    .replace('android:allowBackup="true"', 'android:allowBackup="false"')
    .replace(
      '<uses-permission android:name="android.permission.INTERNET" />',
      `<uses-permission android:name="android.permission.INTERNET" />
    <uses-permission android:name="android.permission.ACCESS_NETWORK_STATE" />`,
    );
}

/** Sets the name, our own URL scheme, and the App Store's encryption declaration: the system's encryption only. */
export function withInfo(plist: string, { name, scheme }: { name: string; scheme: string }): string {
  const named = replaceOnce(
    plist,
    /(<key>CFBundleDisplayName<\/key>\s*<string>)[^<]*/,
    (_: string, before: string) => before + name,
  );
  if (named.includes("CFBundleURLTypes")) return named;
  return replaceOnce(
    named,
    /<\/dict>\s*<\/plist>\s*$/,
    `	<key>CFBundleURLTypes</key>
	<array>
		<dict>
			<key>CFBundleURLName</key>
			<string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
			<key>CFBundleURLSchemes</key>
			<array>
				<string>${scheme}</string>
			</array>
		</dict>
	</array>
	<key>ITSAppUsesNonExemptEncryption</key>
	<false/>
</dict>
</plist>
`,
  );
}

/** Builds App.entitlements. `push`: the app registers with Apple's push service. */
export function entitlements({ host, push }: { host: string; push: boolean }): string {
  const registers = `	<key>aps-environment</key>
	<string>production</string>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${push ? registers : ""}	<key>com.apple.developer.associated-domains</key>
	<array>
		<string>applinks:${host}</string>
		<string>webcredentials:${host}</string>
	</array>
</dict>
</plist>
`;
}

/** Hands Apple's token to Firebase, and Firebase's to the push plugin, because our server sends by Firebase alone. */
export function withFirebase(delegate: string): string {
  if (delegate.includes("FirebaseMessaging")) return delegate;
  const imported = replaceOnce(
    delegate,
    /import Capacitor\n/,
    "import Capacitor\nimport FirebaseCore\nimport FirebaseMessaging\n",
  );
  const started = replaceOnce(
    imported,
    /( *)\/\/ Override point for customization after application launch\.\n/,
    (_: string, indent: string) => `${indent}FirebaseApp.configure()\n`,
  );
  return replaceOnce(
    started,
    /\}\s*$/,
    `
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
        Messaging.messaging().apnsToken = deviceToken
        Messaging.messaging().token { token, error in
            if let token = token {
                NotificationCenter.default.post(name: .capacitorDidRegisterForRemoteNotifications, object: token)
            } else if let error = error {
                NotificationCenter.default.post(name: .capacitorDidFailToRegisterForRemoteNotifications, object: error)
            }
        }
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error) {
        NotificationCenter.default.post(name: .capacitorDidFailToRegisterForRemoteNotifications, object: error)
    }
}
`,
  );
}

/** Signs both configurations with App.entitlements. */
export function withEntitlements(project: string): string {
  if (project.includes("CODE_SIGN_ENTITLEMENTS")) return project;
  const line = /^(\s*)CODE_SIGN_STYLE = Automatic;$/gm;
  if (!line.test(project)) throw new Error("The Xcode project has no CODE_SIGN_STYLE line to add the entitlements to");
  return project.replace(line, "$1CODE_SIGN_ENTITLEMENTS = App/App.entitlements;\n$1CODE_SIGN_STYLE = Automatic;");
}

function replaceOnce(text: string, what: RegExp, by: string | ((found: string, group: string) => string)): string {
  if (!what.test(text)) throw new Error(`Capacitor's template has changed: nothing matches ${what}`);
  return typeof by === "string" ? text.replace(what, () => by) : text.replace(what, by);
}
