import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { problem } from "#app/http/responses/api-response.ts";

function notFound({ context }: LoaderFunctionArgs): Response {
  return problem({ status: 404, code: "not_found", title: "There is no such endpoint" }, context.requestId);
}

export const loader = notFound;
export const action = (args: ActionFunctionArgs) => notFound(args);
