/** Responds with JSON that no cache may keep, because it is about one account. */
export function json(body: unknown, init: { status?: number; headers?: HeadersInit } = {}): Response {
  return respondJson("application/json; charset=utf-8", body, init);
}

export type Problem = {
  status: number;
  /** Stable, for programs: `insufficient_funds`. */
  code: string;
  title: string;
  detail?: string;
  /** The request field that caused the error. */
  field?: string;
};

/** RFC 9457 problem details. */
export function problem(given: Problem, requestId: string, headers: HeadersInit = {}): Response {
  const { status, code, title, detail, field } = given;
  const body = { type: `/api/docs#${code}`, title, status, detail, code, field, request_id: requestId };
  return respondJson("application/problem+json; charset=utf-8", body, { status, headers });
}

function respondJson(contentType: string, body: unknown, init: { status?: number; headers?: HeadersInit }): Response {
  return respond(contentType, JSON.stringify(body), init);
}

function respond(contentType: string, body: BodyInit, init: { status?: number; headers?: HeadersInit }): Response {
  const headers = new Headers(init.headers);
  headers.set("Content-Type", contentType);
  headers.set("Cache-Control", "no-store");
  return new Response(body, { status: init.status ?? 200, headers });
}
