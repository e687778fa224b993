import type { ShouldRevalidateFunction } from "@remix-run/react";

/**
 * Reloads a page after what it submits, and after a conflict (409): what others saved is then shown. After another refusal it
 * stays as it is, with what was typed since. `defaultShouldRevalidate` says nothing of that: with single fetch it is always
 * true for a route that exports a function.
 */
export const reloadAfterConflict: ShouldRevalidateFunction = ({ actionStatus = 200 }) =>
  actionStatus < 400 || actionStatus === 409;
