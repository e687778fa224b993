import { createContext, useContext } from "react";

const Nonce = createContext<string | undefined>(undefined);

export const NonceProvider = Nonce.Provider;

/** The CSP nonce of the page being rendered. Empty in the browser, which hides nonces from scripts. */
export function useNonce(): string | undefined {
  return useContext(Nonce);
}
