import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type Formats, formatsOf } from "./number-formats.ts";

const FormatsContext = createContext<Formats | null>(null);

/** Provides number formats. Server and browser must get the same `locale`, or hydration would not match. */
export function FormatsProvider({ locale, children }: { locale: string; children: ReactNode }) {
  const formats = useMemo(() => formatsOf(locale), [locale]);
  return <FormatsContext.Provider value={formats}>{children}</FormatsContext.Provider>;
}

export function useFormats(): Formats {
  const formats = useContext(FormatsContext);
  if (!formats) throw new Error("useFormats outside of FormatsProvider");
  return formats;
}
