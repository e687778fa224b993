import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type Formats, formatsOf } from "./number-formats.ts";

const FormatsContext = createContext<Formats | null>(null);

/** The same `locale` has to reach the server's drawing and the browser's, which then do not differ. */
export function FormatsProvider({ locale, children }: { locale: string; children: ReactNode }) {
  const formats = useMemo(() => formatsOf(locale), [locale]);
  return <FormatsContext.Provider value={formats}>{children}</FormatsContext.Provider>;
}

export function useFormats(): Formats {
  const formats = useContext(FormatsContext);
  if (!formats) throw new Error("useFormats outside of FormatsProvider");
  return formats;
}
