import { useEffect, useLayoutEffect } from "react";

/** A layout effect that does not make React warn on the server. */
export const useBeforePaint = typeof document === "undefined" ? useEffect : useLayoutEffect;
