import { errorResponse } from "#app/accounts/session/token-responses.server.ts";

/** Answers calls of client libraries that we don't have, such as `/auth/v1/otp`, in their own words. */
function notFound(): Response {
  return errorResponse(404, "not_found", "There is no such endpoint");
}

export { notFound as action, notFound as loader };
