import { errorResponse } from "#app/accounts/session/token-responses.server.ts";

/** Returns a 404 in the form that client libraries read, for endpoints that we don't have, such as `/auth/v1/otp`. */
function notFound(): Response {
  return errorResponse(404, "not_found", "There is no such endpoint");
}

export { notFound as action, notFound as loader };
