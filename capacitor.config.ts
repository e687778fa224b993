import type { CapacitorConfig } from "@capacitor/cli";
import type { KeyboardResize } from "@capacitor/keyboard";

// GROWLINE_URL: origin of the deployed product. GROWLINE_APP_ID: the app's id in both stores. See docs/native.md.
const url = process.env.GROWLINE_URL;
if (!url || !URL.canParse(url))
  throw new Error("Set GROWLINE_URL to the deployed origin, such as https://growline.example");

const DARK = "#0c0f13";

const config: CapacitorConfig = {
  appId: process.env.GROWLINE_APP_ID ?? "example.growline.app",
  appName: "Growline",
  webDir: ".native/www",
  appendUserAgent: "GrowlineShell",
  backgroundColor: DARK,
  zoomEnabled: true,
  server: {
    url: new URL(url).origin,
    errorPath: "error.html",
    // Only for a local copy over plain HTTP.
    cleartext: new URL(url).protocol === "http:",
  },
  android: { allowMixedContent: false },
  ios: { contentInset: "never" },
  plugins: {
    // Also hides by itself after a while, because the error page has no plugin to hide it.
    SplashScreen: { launchAutoHide: true, launchShowDuration: 3000, launchFadeOutDuration: 160, backgroundColor: DARK },
    // Nothing is shown over the open app, which shows unread replies and orders by itself.
    PushNotifications: { presentationOptions: [] },
    StatusBar: { overlaysWebView: true, style: "DARK" },
    SystemBars: { insetsHandling: "css" },
    Keyboard: { resize: "native" as KeyboardResize, resizeOnFullScreen: true },
  },
};

export default config;
