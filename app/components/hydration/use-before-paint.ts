import { useEffect, useLayoutEffect } from "react";

/** A layout effect, about which React is silent on the server. */
export const useBeforePaint = typeof document === "undefined" ? useEffect : useLayoutEffect;
