import { App } from "@capacitor/app";
import { Browser } from "@capacitor/browser";
import type { PluginListenerHandle } from "@capacitor/core";
import { Keyboard, KeyboardStyle } from "@capacitor/keyboard";
import { Network } from "@capacitor/network";
import { PushNotifications } from "@capacitor/push-notifications";
import { SplashScreen } from "@capacitor/splash-screen";
import { StatusBar, Style } from "@capacitor/status-bar";
import { tabStorage } from "#app/components/storage/browser-storage.ts";
import { reportNetwork } from "#app/native/network/watch-network.ts";
import { deepLinkPath } from "./deep-links.ts";
import { backFrom, linkTarget } from "./link-routing.ts";
import { backUpSession, restoreSession } from "./session-backup.ts";

/** Native features of the app. Only the shell loads this file, so that a browser never downloads it. */

export type ShellOptions = {
  /** Storage key of the session. */
  sessionKey: string;
  isSignedIn: () => boolean;
  go: (path: string) => void;
};

/** Set once the link that started the app was read: every later page that loads would be given it again. */
const LAUNCHED_KEY = "growline.launched";

/** Starts the native features. Returns whether a session was restored, and a function that stops them. */
export async function openShell(options: ShellOptions): Promise<{ restored: boolean; close: () => void }> {
  // A failing plugin must not lock anybody out of the app.
  const restored = await restoreSession(options.sessionKey).catch(() => false);
  const closers = [backUpSession(options.sessionKey), followTheme(), catchLinks(options.isSignedIn)];
  const handles = [watchLink(), catchBack(), followTaps(options.go), ...followDeepLinks(options.go)];
  return {
    restored,
    close() {
      for (const close of closers) close();
      for (const handle of handles)
        handle.then(
          (it) => it.remove(),
          () => {},
        );
    },
  };
}

export function hideSplash(): void {
  SplashScreen.hide({ fadeOutDuration: 160 }).catch(() => {});
}

function watchLink(): Promise<PluginListenerHandle> {
  Network.getStatus().then(
    ({ connected }) => reportNetwork({ type: "link", from: "plugin", up: connected }),
    // Without the plugin, the browser's events are used.
    () => {},
  );
  return Network.addListener("networkStatusChange", ({ connected }) =>
    reportNetwork({ type: "link", from: "plugin", up: connected }),
  );
}

function catchBack(): Promise<PluginListenerHandle> {
  return App.addListener("backButton", ({ canGoBack }) => {
    const overlay = [...document.querySelectorAll("[role=dialog]")].at(-1);
    const offline = document.querySelector("[data-offline]") !== null;
    switch (backFrom(location.pathname, { hasOverlay: overlay !== undefined, offline, canGoBack })) {
      case "close":
        overlay?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
        return;
      case "leave":
        App.minimizeApp().catch(() => {});
        return;
      case "back":
        history.back();
        return;
    }
  });
}

function followDeepLinks(go: (path: string) => void): Promise<PluginListenerHandle>[] {
  let pressed: string | null = null;
  function follow(url: string): void {
    const path = deepLinkPath(url, location.origin);
    if (path !== null) go(path);
  }
  if (tabStorage.get(LAUNCHED_KEY) === null) {
    tabStorage.set(LAUNCHED_KEY, "1");
    App.getLaunchUrl().then(
      // iOS also reports the link that started the app as pressed.
      (launch) => launch?.url && launch.url !== pressed && follow(launch.url),
      () => {},
    );
  }
  return [
    App.addListener("appUrlOpen", ({ url }) => {
      // iOS leaves the in-app browser open above the app.
      Browser.close().catch(() => {});
      pressed = url;
      follow(url);
    }),
  ];
}

/** Opens what a notification is about. The plugin keeps a tap that started the app until this listens. */
function followTaps(go: (path: string) => void): Promise<PluginListenerHandle> {
  return PushNotifications.addListener("pushNotificationActionPerformed", ({ notification }) => {
    const given: unknown = notification.data?.path;
    const path = typeof given === "string" ? deepLinkPath(location.origin + given, location.origin) : null;
    if (path !== null) go(path);
  });
}

function catchLinks(isSignedIn: () => boolean): () => void {
  const onClick = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    if (!link || link.hasAttribute("download")) return;
    const target = linkTarget(link.href, location.origin, isSignedIn());
    if (target.to !== "browser") return;
    event.preventDefault();
    Browser.open({ url: target.url }).catch(() => {});
  };
  // Capture, to run before React's listener, which would follow the link inside the app.
  document.addEventListener("click", onClick, { capture: true });
  return () => document.removeEventListener("click", onClick, { capture: true });
}

function followTheme(): () => void {
  const root = document.documentElement;
  const apply = () => {
    const dark = root.dataset.theme !== "light";
    // The plugin's "Dark" means light text on a dark bar.
    StatusBar.setStyle({ style: dark ? Style.Dark : Style.Light }).catch(() => {});
    Keyboard.setStyle({ style: dark ? KeyboardStyle.Dark : KeyboardStyle.Light }).catch(() => {});
  };
  apply();
  const observer = new MutationObserver(apply);
  observer.observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
