import ArrowRight from "lucide-react/icons/arrow-right";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { Mark } from "#app/components/ui/mark.tsx";
import { ownValue } from "#app/own-value.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { ChatExample, ExactCharge, LinkOnly, OrderProgress } from "./introduction-pictures.tsx";

const SCREENS: { title: string; text: string; picture: ReactNode }[] = [
  {
    title: "Know the price first",
    text: "Pick a service and a quantity. The price you see is what you pay.",
    picture: <ExactCharge />,
  },
  {
    title: "All you need is a link",
    text: "Orders use the public link of a post or profile. We never ask for the password of your social account.",
    picture: <LinkOnly />,
  },
  {
    title: "Track every order",
    text: "Status updates automatically. If something can't be delivered, we refund it to your balance.",
    picture: <OrderProgress />,
  },
  {
    title: "Talk to real people",
    text: "Ask support in the chat. Log in on another device and the conversation is still there.",
    picture: <ChatExample />,
  },
];

const LAST = SCREENS.length - 1;

/**
 * The introduction: a few screens to swipe, or to turn with buttons and arrow keys. When it is finished or skipped, calls
 * `onDone` and opens `doneTo`. `besideChat` leaves room for the chat's button.
 */
export function Introduction({
  doneTo,
  onDone,
  besideChat = false,
}: {
  doneTo: string;
  onDone?: () => void;
  besideChat?: boolean;
}) {
  const strip = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);

  function turnTo(screen: number): void {
    const box = strip.current;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    box?.scrollTo({ left: screen * box.clientWidth, behavior: calm ? "auto" : "smooth" });
  }

  function onScroll(): void {
    const box = strip.current;
    if (box && box.clientWidth > 0) setAt(Math.min(LAST, Math.max(0, Math.round(box.scrollLeft / box.clientWidth))));
  }

  // The screens may have been swiped before hydration.
  useEffect(onScroll, []);

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const target = ownValue({ ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: LAST }, event.key);
      if (target === undefined || target < 0 || target > LAST) return;
      event.preventDefault();
      turnTo(target);
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });

  return (
    <main
      id="main"
      tabIndex={-1}
      className="safe-x safe-y mx-auto flex h-dvh min-h-140 w-full max-w-160 flex-col outline-none sm:my-auto sm:max-h-180"
    >
      <header className="flex h-14 shrink-0 items-center justify-between pr-2 pl-5">
        <h1 className="flex items-center gap-2 text-base">
          <Mark />
          <span className="sr-only">Welcome to </span>
          {PRODUCT_NAME}
        </h1>
        <Skip to={doneTo} onDone={onDone} className={at === LAST ? "invisible" : ""} />
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a carousel has no element of its own */}
      <div
        ref={strip}
        role="group"
        aria-roledescription="carousel"
        aria-label="Introduction"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="flex min-h-0 flex-1 snap-x snap-mandatory overflow-x-auto overflow-y-hidden overscroll-x-contain outline-none [scrollbar-width:none] focus-visible:outline-2 focus-visible:-outline-offset-2"
      >
        {SCREENS.map(({ title, text, picture }, index) => (
          // biome-ignore lint/a11y/useSemanticElements: one screen of the carousel
          <div
            key={title}
            role="group"
            aria-roledescription="screen"
            aria-label={`${index + 1} of ${SCREENS.length}`}
            className="flex w-full shrink-0 snap-center snap-always flex-col overflow-y-auto px-5 py-4 sm:px-8"
          >
            <div className="grid min-h-56 flex-1 place-items-center rounded-md border border-line bg-sunken p-5">
              <div aria-hidden className="w-full max-w-85 sm:scale-115">
                {picture}
              </div>
            </div>
            <h2 className="mt-6 text-2xl sm:text-3xl">{title}</h2>
            <p className="mt-2 min-h-18 max-w-[46ch] text-muted">{text}</p>
          </div>
        ))}
      </div>
      <footer
        className={`flex shrink-0 items-center justify-between gap-4 px-5 pt-2 pb-6 sm:px-8 ${besideChat ? "max-sm:pr-22 sm:max-md:pr-24" : ""}`}
      >
        <div className="flex gap-1.5" role="img" aria-label={`Screen ${at + 1} of ${SCREENS.length}`}>
          {SCREENS.map(({ title }, index) => (
            <span
              key={title}
              className={`h-1.5 rounded-full transition-colors ${index === at ? "w-6 bg-accent" : "w-1.5 bg-line-strong"}`}
            />
          ))}
        </div>
        {at < LAST ? (
          <Button size="large" onClick={() => turnTo(at + 1)} className="noscript:hidden">
            Next <ArrowRight aria-hidden className="size-4" />
          </Button>
        ) : (
          <ButtonLink to={doneTo} onClick={onDone} size="large" replace>
            Get started
          </ButtonLink>
        )}
      </footer>
    </main>
  );
}

/** A link only while `onDone` can run, which records that the introduction was seen, or while JavaScript is off. */
function Skip({ to, onDone, className }: { to: string; onDone: (() => void) | undefined; className: string }) {
  if (useIsHydrated()) {
    return (
      <ButtonLink to={to} onClick={onDone} variant="quiet" replace className={className}>
        Skip
      </ButtonLink>
    );
  }
  return (
    <>
      <Button variant="quiet" className="noscript:hidden">
        Skip
      </Button>
      {/* On a wrapper: a button sets its own display. */}
      <span className="hidden noscript:block">
        <ButtonLink to={to} variant="quiet">
          Skip
        </ButtonLink>
      </span>
    </>
  );
}
