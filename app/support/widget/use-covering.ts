import { useLocation } from "@remix-run/react";
import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";

/** The breakpoint `sm` of the panel, from which the page beside it is visible. */
const BESIDE_THE_PAGE = "(min-width: 40rem)";
/** Marks the entry in the browser's history that Back leaves to close the panel. */
const ENTRY = "growlineChat";
/** A keyboard is taller than this; a browser's bars that come and go are not. */
const KEYBOARD_MIN_PX = 120;

/** Returns whether the open panel covers the page, as it does on a phone. */
export function useIsCovering(): boolean {
  return useSyncExternalStore(onBreakpoint, isCovering, () => false);
}

export function isCovering(): boolean {
  return !matchMedia(BESIDE_THE_PAGE).matches;
}

/** While the panel covers the page: makes the page inert, closes the panel on Back, and keeps it above the keyboard. */
export function useCovering(panel: RefObject<HTMLElement>, isOn: boolean, onClose: () => void): void {
  const { key } = useLocation();
  const close = useRef(onClose);
  close.current = onClose;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation renders another page, which must be inert too
  useEffect(() => {
    if (isOn && panel.current) return makeRestInert(panel.current);
  }, [panel, isOn, key]);
  useEffect(() => {
    if (isOn) return closeOnBack(() => close.current());
  }, [isOn]);
  useEffect(() => {
    if (isOn && panel.current) return fitAboveKeyboard(panel.current);
  }, [panel, isOn]);
}

/** Toasts stay: they tell what happened in the panel. So does the offline screen, which covers the panel itself. */
function makeRestInert(panel: HTMLElement): () => void {
  const made: Element[] = [];
  for (let inside: Element = panel; inside !== document.body && inside.parentElement; inside = inside.parentElement) {
    for (const sibling of inside.parentElement.children) {
      if (sibling === inside || sibling.matches("[inert], [data-toasts], [data-offline], script")) continue;
      sibling.toggleAttribute("inert", true);
      made.push(sibling);
    }
  }
  return () => {
    for (const element of made) element.removeAttribute("inert");
  };
}

/** Adds one entry to the history, which the same page shows. Leaving it closes the panel, and closing the panel leaves it. */
function closeOnBack(close: () => void): () => void {
  // After a reload the entry is there already.
  if (!hasChatEntry()) history.pushState({ ...history.state, [ENTRY]: true }, "");
  let address = location.href;
  const onPop = (event: PopStateEvent) => {
    const isSamePage = location.href === address;
    address = location.href;
    if (hasChatEntry() || !isSamePage) return;
    // Remix would load the page again.
    event.stopImmediatePropagation();
    close();
  };
  window.addEventListener("popstate", onPop, { capture: true });
  return () => {
    window.removeEventListener("popstate", onPop, { capture: true });
    if (!hasChatEntry()) return;
    const skip = (event: PopStateEvent) => event.stopImmediatePropagation();
    window.addEventListener("popstate", skip, { capture: true, once: true });
    history.back();
  };
}

/** Returns whether Back closes the panel, also after a reload. */
export function hasChatEntry(): boolean {
  return history.state?.[ENTRY] === true;
}

/** For browsers whose keyboard covers the page and does not resize it, whatever the viewport's meta tag says: iOS. */
function fitAboveKeyboard(panel: HTMLElement): () => void {
  const seen = window.visualViewport;
  if (!seen) return () => {};
  const place = () => {
    const isCut = seen.scale === 1 && document.documentElement.clientHeight - seen.height > KEYBOARD_MIN_PX;
    Object.assign(
      panel.style,
      isCut ? { top: `${seen.offsetTop}px`, bottom: "auto", height: `${seen.height}px` } : UNCUT,
    );
  };
  place();
  for (const type of ["resize", "scroll"]) seen.addEventListener(type, place);
  return () => {
    for (const type of ["resize", "scroll"]) seen.removeEventListener(type, place);
    Object.assign(panel.style, UNCUT);
  };
}

const UNCUT = { top: "", bottom: "", height: "" };

function onBreakpoint(changed: () => void): () => void {
  const query = matchMedia(BESIDE_THE_PAGE);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
