import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import { forgetFlash, readFlash } from "./read-flash.ts";
import { toast } from "./toast.tsx";

/** Shows the flash message of the last form as a toast, once, on the page it redirected to. */
export function FlashToast() {
  const { key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation may bring a text
  useEffect(() => {
    const text = readFlash(document.cookie, location);
    if (text === null) return;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = forgetFlash(location);
    toast.success(text);
  }, [key]);
  return null;
}
