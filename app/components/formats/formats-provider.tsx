import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type Formats, formatsOf } from "./number-formats.ts";

const FormatsContext = createContext<Formats | null>(null);

/** When the server was asked for the document, and when the browser asked for it, each by its own clock in ms. */
export type PageTimes = { server: number | undefined; browser: number };
/** Unset on the server. */
export let pageTimes: PageTimes | undefined;

/**
 * Provides number formats, and what `RelativeDate` corrects the browser's clock by. Server and browser must get the same
 * `locale`, or hydration would not match. `now`: the server's time at the request, if known.
 */
export function FormatsProvider({
  locale,
  now,
  children,
}: {
  locale: string;
  now?: number | undefined;
  children: ReactNode;
}) {
  const formats = useMemo(() => formatsOf(locale), [locale]);
  // Taken at once: `performance.now()` may stand still while a computer sleeps.
  if (!import.meta.env.SSR) pageTimes ??= { server: now, browser: Date.now() - performance.now() };
  return <FormatsContext.Provider value={formats}>{children}</FormatsContext.Provider>;
}

export function useFormats(): Formats {
  const formats = useContext(FormatsContext);
  if (!formats) throw new Error("useFormats outside of FormatsProvider");
  return formats;
}
