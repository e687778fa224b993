import { useRouteError, useRouteLoaderData } from "@remix-run/react";
import { ErrorMessage } from "#app/components/page/error-message.tsx";
import { lastFailedRequestId } from "#app/components/page/failed-request.ts";
import { isNetworkError } from "./network-state.ts";
import { LostPage } from "./offline-screen.tsx";

/** The error page of a route: what failed, or the wait for the network. */
export function RouteError() {
  const known = useRouteLoaderData<{ requestId: string }>("root");
  const error = useRouteError();
  const message = <ErrorMessage error={error} requestId={lastFailedRequestId() ?? known?.requestId ?? null} />;
  return isNetworkError(error) ? <LostPage>{message}</LostPage> : message;
}
