import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { useSyncExternalStore } from "react";
import { useBeforePaint } from "#app/components/hydration/use-before-paint.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { browserStorage } from "#app/components/storage/browser-storage.ts";

const STORAGE_KEY = "theme";
const CHANGED = "growline:theme";

type Theme = "dark" | "light";

/** Runs in <head> before the first paint. If storage is blocked, the theme stays dark. */
export const SET_THEME = `try{if(localStorage.getItem("${STORAGE_KEY}")==="light")document.documentElement.dataset.theme="light"}catch{}`;

export function ThemeToggle() {
  const theme = useSyncExternalStore<Theme>(onThemeChange, shownTheme, () => "dark");
  const isHydrated = useIsHydrated();

  useBeforePaint(() => {
    // React may have recreated <html> for an error page, with the default theme.
    if (storedTheme() !== shownTheme()) show(storedTheme());
  }, []);

  function toggle() {
    const next = theme === "dark" ? "light" : "dark";
    show(next);
    browserStorage.set(STORAGE_KEY, next);
  }

  return (
    <button
      type="button"
      disabled={!isHydrated}
      onClick={toggle}
      aria-label={theme === "dark" ? "Use the light theme" : "Use the dark theme"}
      className="inline-flex size-11 items-center justify-center rounded-md text-muted transition-colors not-disabled:hover:bg-sunken not-disabled:hover:text-text disabled:opacity-50 sm:size-9 noscript:hidden"
    >
      <Sun aria-hidden className="size-4 light:hidden" />
      <Moon aria-hidden className="hidden size-4 light:block" />
    </button>
  );
}

function onThemeChange(changed: () => void): () => void {
  window.addEventListener(CHANGED, changed);
  return () => window.removeEventListener(CHANGED, changed);
}

function shownTheme(): Theme {
  return document.documentElement.dataset.theme === "light" ? "light" : "dark";
}

function storedTheme(): Theme {
  return browserStorage.get(STORAGE_KEY) === "light" ? "light" : "dark";
}

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  window.dispatchEvent(new Event(CHANGED));
}
